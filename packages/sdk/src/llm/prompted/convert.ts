/**
 * Converts a conversation with native tool calls to one without, and back. `fromPrompted` is the inverse of `toPrompted`, except that
 * calls get new ids and a turn with several calls becomes one turn per call.
 */
import { randomUUID } from 'node:crypto';
import { type Content, type TextContent, text } from '../../event/content.ts';
import type { Message, MessageToolCall } from '../../event/message.ts';
import { defined } from '../../value/defined.ts';
import { remembered } from '../../value/remembered.ts';
import type { ToolSchema } from '../llm.ts';
import { describeTools } from './describe-tools.ts';
import { example } from './example.ts';
import { escapeTags, readCall, unescapeTags, writeCall } from './grammar.ts';

/**
 * The last words of every message that is not the model's, so that they stand at the end of each request, and each request begins with the
 * one before it.
 */
export const FORM_REMINDER =
  'Reminder: to call a function, end your message with one call: <function=name>, then <parameter=name>value</parameter> for each parameter, then </function>.';
const REMINDER = text(FORM_REMINDER);

export interface PromptedOptions {
  /** Whether the first user message contains a worked example; default true. */
  readonly example?: boolean;
}

/** A converter that caches: the same message gives the same objects. */
export function promptedConverter(
  tools: readonly ToolSchema[],
  options: PromptedOptions = {},
): (messages: readonly Message[]) => readonly Message[] {
  const suffix = text(describeTools(tools));
  const shown = options.example === false ? null : example(tools);
  const first = remembered((message: Message) => withExample(message, shown));
  const system = remembered((message: Message) => [{ ...message, content: [...message.content, suffix] }]);
  const others = remembered(plain);
  const turns = new WeakMap<Message, readonly Message[]>();

  return (messages) => {
    const converted: Message[] = [];
    let isFirstOfUser = true;
    let isFirstOfSystem = true;
    for (let i = 0; i < messages.length; i += 1) {
      const message = messages[i] as Message;
      const { role } = message;
      if (role === 'system' && isFirstOfSystem) {
        isFirstOfSystem = false;
        converted.push(...system(message));
      } else if (role === 'user' && isFirstOfUser) {
        isFirstOfUser = false;
        converted.push(...first(message));
      } else if (message.tool_calls !== undefined && message.tool_calls.length > 0) {
        const results = resultsBehind(messages, i);
        const known = turns.get(message);
        const turn = known?.length === 2 * results.length ? known : turnOf(message, results);
        if (results.length === message.tool_calls.length) turns.set(message, turn);
        converted.push(...turn);
        i += results.length;
      } else {
        converted.push(...others(message));
      }
    }
    return isFirstOfSystem ? [{ role: 'system', content: [suffix] }, ...converted] : converted;
  };
}

/** Messages for a model without native tool calls: calls and results are text. */
export function toPrompted(
  messages: readonly Message[],
  tools: readonly ToolSchema[],
  options?: PromptedOptions,
): readonly Message[] {
  return promptedConverter(tools, options)(messages);
}

function resultsBehind(messages: readonly Message[], at: number): Message[] {
  const results: Message[] = [];
  for (let i = at + 1; messages[i]?.role === 'tool'; i += 1) results.push(messages[i] as Message);
  return results;
}

/** Separates calls, each with its result, since a message contains at most one. */
function turnOf(message: Message, results: readonly Message[]): readonly Message[] {
  return (message.tool_calls ?? []).flatMap((call, i) => {
    const said = i === 0 ? (message.content as TextContent[]) : [];
    const result = results.find((each) => each.tool_call_id === call.id);
    const asked = callMessage(said, call, i === 0 ? message.reasoning_content : undefined);
    return result === undefined ? [asked] : [asked, resultMessage(result, call.name)];
  });
}

function callMessage(
  said: readonly Content[],
  call: MessageToolCall,
  reasoning: string | undefined,
): Message {
  const words = said.flatMap((block) =>
    block.type === 'text' && block.text !== '' ? [escapeTags(block.text)] : [],
  );
  const written = writeCall({ name: call.name, args: argumentsOf(call) });
  return {
    role: 'assistant',
    content: [text([...(words.length === 0 ? [] : [words.join('\n')]), written].join('\n\n'))],
    ...defined({ reasoning_content: reasoning }),
  };
}

function argumentsOf({ arguments: source }: MessageToolCall): { readonly [name: string]: unknown } {
  try {
    const value: unknown = JSON.parse(source);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {}; // our own logs contain no such call, but another writer's may
  }
}

function resultHeader(name: string): string {
  return `EXECUTION RESULT of [${name}]:\n`;
}

function resultMessage(result: Message, name: string): Message {
  const [first, ...rest] = result.content as Content[];
  const header = resultHeader(result.name ?? name);
  const content: Content[] =
    first?.type === 'text'
      ? [text(header + first.text), ...rest]
      : [text(header), ...(first === undefined ? [] : [first]), ...rest];
  return reminded({ role: 'user', content });
}

function reminded(message: Message): Message {
  return { ...message, content: [...message.content, REMINDER] };
}

function withExample(message: Message, shown: ReturnType<typeof example>): Message[] {
  if (shown === null) return [reminded(message)];
  const content = [text(shown.before), ...message.content, text(shown.after)];
  return [reminded({ ...message, content })];
}

function plain(message: Message): Message[] {
  if (message.role === 'tool') return [resultMessage(message, message.name ?? '')];
  if (message.role === 'user') return [reminded(message)];
  if (message.role !== 'assistant') return [message];
  const { tool_calls: _, ...rest } = message;
  return [
    {
      ...rest,
      content: message.content.map((block) => (block.type === 'text' ? text(escapeTags(block.text)) : block)),
    },
  ];
}

/** The text of an answer as a message with the call that it ends with. */
export function readAnswer(message: Message, tools: readonly ToolSchema[]): Message {
  const words = message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  const read = readCall(words, (name) => tools.find((tool) => tool.name === name));
  if (read === null) {
    const content = message.content.map((block) =>
      block.type === 'text' ? text(unescapeTags(block.text)) : block,
    );
    return { ...message, content };
  }
  const call: MessageToolCall = {
    id: `toolu_${randomUUID().replaceAll('-', '')}`,
    name: read.call.name,
    arguments: JSON.stringify(read.call.args),
    origin: 'completion',
  };
  return { ...message, content: read.content === '' ? [] : [text(read.content)], tool_calls: [call] };
}

/** The conversation that was written by `toPrompted` with the same tools and options. */
export function fromPrompted(
  messages: readonly Message[],
  tools: readonly ToolSchema[],
  options: PromptedOptions = {},
): readonly Message[] {
  const shown = options.example === false ? null : example(tools);
  const suffix = describeTools(tools);
  const converted: Message[] = [];
  let isFirstOfUser = true;
  for (const message of messages.map(unreminded)) {
    const last = converted.at(-1);
    const [asked] = last?.tool_calls ?? [];
    if (message.role === 'system') converted.push(...withoutSuffix(message, suffix));
    else if (message.role === 'assistant') converted.push(readAnswer(message, tools));
    else if (asked !== undefined && isResult(message, asked.name)) converted.push(resultOf(message, asked));
    else if (isFirstOfUser && shown !== null)
      converted.push({ ...message, content: message.content.slice(1, -1) });
    else converted.push(message);
    if (message.role === 'user') isFirstOfUser = false;
  }
  return converted;
}

function unreminded(message: Message): Message {
  const last = message.content.at(-1);
  const isReminded = message.role === 'user' && last?.type === 'text' && last.text === FORM_REMINDER;
  return isReminded ? { ...message, content: message.content.slice(0, -1) } : message;
}

function withoutSuffix(message: Message, suffix: string): Message[] {
  const content = message.content.filter((block) => block.type !== 'text' || block.text !== suffix);
  return content.length === 0 ? [] : [{ ...message, content }];
}

function isResult({ content: [first] }: Message, name: string): boolean {
  return first?.type === 'text' && first.text.startsWith(resultHeader(name));
}

function resultOf({ content }: Message, { id, name }: MessageToolCall): Message {
  const [first, ...rest] = content as [TextContent, ...Content[]];
  const words = first.text.slice(resultHeader(name).length);
  return {
    role: 'tool',
    content: words === '' && rest.length > 0 ? rest : [text(words), ...rest],
    tool_call_id: id,
    name,
  };
}

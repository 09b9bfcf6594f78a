import { type Content, image, type TextContent, text } from '../event/content.ts';
import type { Draft } from '../event/draft.ts';
import type { ActionEvent, Event, Observation } from '../event/kinds.ts';
import type { Message } from '../event/message.ts';
import { isRecord } from '../value/is-record.ts';
import { objectIn } from './foreign-values.ts';
import { type Imported, withEnding } from './imported.ts';
import type { Importer } from './importer.ts';
import { type Json, lineOfValue, parseJson } from './json-text.ts';
import { historyOf, stamped } from './make-events.ts';
import { TrajectoryError } from './trajectory-error.ts';

/**
 * From a list of messages, or an object with one under `messages`. Throws TrajectoryError that names the line. `agent` and
 * `assistant` are the same speaker, `developer` is `system`.
 */
export function fromOpenAi(source: string): Imported {
  const json = parseJson(source);
  const messages = isRecord(json) ? json['messages'] : json;
  const path = isRecord(json) ? ['messages'] : [];
  if (!Array.isArray(messages) || messages.length === 0)
    throw new TrajectoryError('a list of messages is expected', lineOfValue(source, path));
  const open = new Map<string, ActionEvent>();
  const messageOf = new Map<string, number>();
  const events = messages.flatMap((message: unknown, i): Event[] => {
    try {
      const made = eventsOf(message, open);
      for (const { id } of made) messageOf.set(id, i);
      return made;
    } catch (error) {
      if (!(error instanceof TrajectoryError)) throw error;
      throw new TrajectoryError(`message ${i}: ${error.message}`, lineOfValue(source, [...path, i]));
    }
  });
  const model = isRecord(json) ? json['model'] : undefined;
  const where: Imported['where'] = (id) => {
    const at = messageOf.get(id);
    return at === undefined ? '' : `message ${at} (line ${lineOfValue(source, [...path, at])})`;
  };
  return {
    events: withEnding(historyOf(events, where)),
    ...(typeof model === 'string' && model !== '' ? { model } : {}),
    where,
  };
}

function eventsOf(message: unknown, open: Map<string, ActionEvent>): Event[] {
  if (!isRecord(message)) throw new TrajectoryError('an object with a role is expected');
  const content = contentOf(message['content']);
  switch (message['role']) {
    case 'system':
    case 'developer':
      return [stamped(systemDraft(content))];
    case 'user':
      return [stamped(wordsDraft('user', 'user', content, message))];
    case 'agent':
    case 'assistant':
      if (message['tool_calls'] === undefined || message['tool_calls'] === null)
        return [stamped(wordsDraft('agent', 'assistant', content, message))];
      return callEvents(message, content, open);
    case 'tool':
      return [resultEvent(message, content, open)];
    default:
      throw new TrajectoryError(
        `the role must be system, user, assistant (or agent) or tool, ${butIs(message['role'])}`,
      );
  }
}

function systemDraft(content: readonly Content[]): Draft {
  const [prompt = text(''), ...rest] = content.filter((block): block is TextContent => block.type === 'text');
  return {
    source: 'agent',
    system_prompt: prompt,
    tools: [],
    ...(rest.length === 0 ? {} : { dynamic_context: text(rest.map((block) => block.text).join('\n')) }),
    kind: 'SystemPromptEvent',
  };
}

function wordsDraft(
  source: 'user' | 'agent',
  role: Message['role'],
  content: readonly Content[],
  { name, reasoning_content: reasoning }: Json,
): Draft {
  return {
    source,
    llm_message: {
      role,
      content: [...content],
      ...(typeof name === 'string' ? { name } : {}),
      ...(typeof reasoning === 'string' ? { reasoning_content: reasoning } : {}),
      thinking_blocks: [],
    },
    activated_skills: [],
    extended_content: [],
    kind: 'MessageEvent',
  };
}

function callEvents(message: Json, content: readonly Content[], open: Map<string, ActionEvent>): Event[] {
  const { tool_calls: calls, reasoning_content: reasoning } = message;
  if (!Array.isArray(calls) || calls.length === 0)
    throw new TrajectoryError('tool_calls must be a list of calls, or absent');
  const responseId = `imported-${crypto.randomUUID()}`;
  return calls.map((call: unknown, i) => {
    const { id, name, args } = checkedCall(call);
    if (open.has(id)) throw new TrajectoryError(`another call ${id} already waits for its result`);
    const event = stamped({
      source: 'agent',
      thought: i === 0 ? content.filter((block): block is TextContent => block.type === 'text') : [],
      ...(i === 0 && typeof reasoning === 'string' ? { reasoning_content: reasoning } : {}),
      thinking_blocks: [],
      ...importedAction(name, args),
      tool_name: name,
      tool_call_id: id,
      tool_call: { id, name, arguments: args, origin: 'completion' },
      llm_response_id: responseId,
      security_risk: 'UNKNOWN',
      kind: 'ActionEvent',
    }) as ActionEvent;
    open.set(id, event);
    return event;
  });
}

function checkedCall(call: unknown): { readonly id: string; readonly name: string; readonly args: string } {
  const { id, function: called } = isRecord(call) ? call : {};
  const { name, arguments: args } = isRecord(called) ? called : {};
  if (typeof id === 'string' && typeof name === 'string' && typeof args === 'string')
    return { id, name, args };
  throw new TrajectoryError(
    'a tool call must be {"id": text, "type": "function", "function": {"name": text, "arguments": JSON in text}}',
  );
}

/** A call whose arguments are not an object was never executed. */
function importedAction(name: string, args: string): { readonly action?: ActionEvent['action'] } {
  const fields = objectIn(args);
  if (fields === undefined) return {}; // the call keeps what the model wrote
  const { security_risk: _, summary: __, kind: ___, ...own } = fields;
  return { action: { ...own, kind: `${className(name)}Action` } };
}

/** `file_editor` is `FileEditor`. */
function className(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('') || 'Unknown';
}

function resultEvent(message: Json, content: readonly Content[], open: Map<string, ActionEvent>): Event {
  const { tool_call_id: id } = message;
  const action = typeof id === 'string' ? open.get(id) : undefined;
  if (id === undefined) throw new TrajectoryError('a result must have the tool_call_id of its call');
  if (action === undefined)
    throw new TrajectoryError(
      `the tool_call_id ${JSON.stringify(id)} does not belong to an earlier call that waits for a result`,
    );
  open.delete(action.tool_call_id);
  return stamped({
    source: 'environment',
    tool_name: action.tool_name,
    tool_call_id: action.tool_call_id,
    observation: importedObservation(action.tool_name, content),
    action_id: action.id,
    extended_content: [],
    kind: 'ObservationEvent',
  } as Draft);
}

/** Only the text that the model saw is known, so the observation is of the kind that has nothing else. */
function importedObservation(toolName: string, content: readonly Content[]): Observation {
  const said = { content: [...content], is_error: false };
  return toolName === 'finish' || toolName === 'think'
    ? { ...said, kind: `${className(toolName)}Observation` }
    : { ...said, tool_name: toolName, kind: 'MCPToolObservation' };
}

function contentOf(content: unknown): Content[] {
  if (content === undefined || content === null) return [];
  if (typeof content === 'string') return [text(content)];
  if (!Array.isArray(content)) throw new TrajectoryError('content must be text, a list of parts, or null');
  return content.map((part: unknown): Content => {
    const { type, text: words, image_url: link } = isRecord(part) ? part : {};
    if (type === 'text' && typeof words === 'string') return text(words);
    const url = isRecord(link) ? link['url'] : link;
    if (type === 'image_url' && typeof url === 'string') return image(url);
    throw new TrajectoryError(`a part of content must have the type text or image_url, ${butIs(type)}`);
  });
}

function butIs(value: unknown): string {
  return value === undefined ? 'but it is missing' : `not ${JSON.stringify(value)}`;
}

export const openAiImporter: Importer = {
  about: 'a list of chat messages',
  recognises: (_, json) => {
    const messages = isRecord(json) ? json['messages'] : json;
    return Array.isArray(messages) && (isRecord(json) || (isRecord(messages[0]) && 'role' in messages[0]));
  },
  text: fromOpenAi,
};

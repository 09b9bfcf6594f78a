import { textOf } from '../../event/content.ts';
import type { Message } from '../../event/message.ts';
import { defined } from '../../value/defined.ts';
import type { CompleteOptions, Completion, Delta, LLM, Prompt, ToolSchema } from '../llm.ts';
import { alternating } from './alternating.ts';
import { promptedConverter, readAnswer } from './convert.ts';
import { looksLikeCall, STOP_WORD } from './grammar.ts';
import { UNREADABLE_CALL } from './unreadable.ts';

export interface PromptedToolsOptions {
  readonly stopWords: boolean;
  readonly example: boolean;
}

/** Models that were trained on the form, and would mistake the example for the task. */
export const KNOWS_THE_FORM = /openhands-lm|devstral|nemotron/;

/** Adds tool calls to a model without native ones: tools are described in the prompt, and calls are read from the text. */
export function withPromptedTools(llm: LLM, options: PromptedToolsOptions): LLM {
  const converters = new WeakMap<
    readonly ToolSchema[],
    (messages: readonly Message[]) => readonly Message[]
  >();
  const merge = alternating();
  return {
    ...llm,
    complete: async (prompt, callOptions) => {
      if (prompt.tools.length === 0) return await llm.complete(prompt, callOptions);
      const convert = converters.get(prompt.tools) ?? promptedConverter(prompt.tools, options);
      converters.set(prompt.tools, convert);
      const asked: Prompt = {
        ...prompt,
        messages: merge(convert(prompt.messages)),
        tools: NO_TOOLS,
        ...defined({ stopSequences: options.stopWords ? [STOP_WORD] : undefined }),
      };
      const hidden = withCallHidden(callOptions);
      const completion = await llm.complete(asked, hidden.options);
      hidden.flush();
      return withCall(completion, prompt.tools);
    },
  };
}

const NO_TOOLS: readonly ToolSchema[] = [];

function withCall(completion: Completion, tools: readonly ToolSchema[]): Completion {
  const message = readAnswer(completion.message, tools);
  if (message.tool_calls !== undefined)
    return { ...completion, message, finish: { ...completion.finish, reason: 'tool-calls' } };
  return looksLikeCall(textOf(message.content)) && !hasEscapedTag(completion.message)
    ? { ...completion, message, complaint: UNREADABLE_CALL }
    : { ...completion, message };
}

/** Text that mentions tags without calling anything. */
function hasEscapedTag({ content }: Message): boolean {
  return /<\\+\/?(function|parameter)/.test(textOf(content));
}

const OPENING = '<function=';

/** Streams text as text, and everything from the first tag on as the arguments of a call. */
function withCallHidden(options: CompleteOptions): { readonly options: CompleteOptions; flush(): void } {
  const { onDelta } = options;
  if (onDelta === undefined) return { options, flush: () => undefined };
  let held = '';
  let isCall = false;
  const tell = (delta: Delta) => {
    if (delta.type !== 'text') return onDelta(delta);
    held += delta.text;
    if (!isCall) {
      const at = held.indexOf(OPENING);
      const words = at === -1 ? held.slice(0, held.length - overlap(held)) : held.slice(0, at);
      if (words !== '') onDelta({ type: 'text', text: words });
      held = held.slice(words.length);
      isCall = at !== -1;
    }
    if (isCall && held !== '') {
      onDelta({ type: 'tool-input', toolCallId: '', toolName: '', text: held });
      held = '';
    }
  };
  // It could have been the beginning of a call, but was not.
  const flush = () => {
    if (held !== '') onDelta({ type: 'text', text: held });
  };
  return { options: { ...options, onDelta: tell }, flush };
}

/** The length of the end of a text that may be the beginning of a call. */
function overlap(text: string): number {
  for (let length = Math.min(text.length, OPENING.length - 1); length > 0; length -= 1) {
    if (text.endsWith(OPENING.slice(0, length))) return length;
  }
  return 0;
}

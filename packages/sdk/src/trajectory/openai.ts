/**
 * A conversation as OpenAI chat messages, and back.
 *
 * Roles, as the reference's EventToLogsConverter gives them: a message has its source (`user` or `agent`), a call is
 * `assistant` with `tool_calls`, a result is `tool` with `tool_call_id` and `name`. OpenAI's own endpoints do not accept
 * `agent`; in the form `chat` that role is also `assistant`. In addition to the converter: the system prompt, calls that ended
 * in an error or a refusal, and calls of one answer in one message, so that each call is followed by its result.
 */
import { type Content, textOf } from '../event/content.ts';
import {
  type ActionEvent,
  type Event,
  isBuiltInKind,
  isPromptEvent,
  type ResultEvent,
} from '../event/kinds.ts';
import { messagesOf, type RenderObservation } from '../event/projection.ts';
import { defined } from '../value/defined.ts';
import type { Exporter } from './exporter.ts';
import { NO_RESULT, passagesOf } from './passages.ts';

export type ChatPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } };

export interface ChatToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'agent' | 'assistant' | 'tool';
  /** Null: the calls have no text. */
  readonly content: string | readonly ChatPart[] | null;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly ChatToolCall[];
  readonly tool_call_id?: string;
  readonly name?: string;
}

export interface ToOpenAiOptions {
  /** The role of what the agent says without a call; default `agent`. */
  readonly speaker?: 'agent' | 'assistant';
  /** How the tools show their observations to the model; default: the stored content. */
  readonly render?: RenderObservation;
}

/** A history as OpenAI chat messages. */
export function toOpenAi(events: Iterable<Event>, options: ToOpenAiOptions = {}): ChatMessage[] {
  return passagesOf(events).flatMap((passage): ChatMessage[] => {
    if (passage.kind === 'event') return saidOf(passage.event, options);
    const actions = passage.calls.map(({ action }) => action);
    const results = passage.calls.map(({ action, result }) => resultOf(action, result, options));
    return [callsOf(actions), ...results];
  });
}

function saidOf(event: Event, { speaker = 'agent' }: ToOpenAiOptions): ChatMessage[] {
  if (event.kind === 'SystemPromptEvent') {
    const { system_prompt, dynamic_context } = event;
    const blocks = dynamic_context === undefined ? [system_prompt] : [system_prompt, dynamic_context];
    return [{ role: 'system', content: partsOf(blocks) }];
  }
  if (event.kind !== 'MessageEvent') return ownOf(event);
  const { reasoning_content: reasoning, content, name } = event.llm_message;
  return [
    {
      role: event.source === 'agent' ? speaker : 'user',
      content: partsOf([...content, ...(event.extended_content ?? [])]),
      ...defined({ reasoning_content: reasoning, name }),
    },
  ];
}

/** Events of kinds that the program has defined, as the model sees them. */
function ownOf(event: Event): ChatMessage[] {
  if (isBuiltInKind(event.kind) || !isPromptEvent(event)) return [];
  return messagesOf([event]).map(({ role, content }) => ({ role, content: partsOf(content) }));
}

function callsOf(actions: readonly ActionEvent[]): ChatMessage {
  const thoughts = actions.flatMap(({ thought }) => [...thought]);
  const reasoning = actions[0]?.reasoning_content;
  return {
    role: 'assistant',
    content: thoughts.length === 0 ? null : partsOf(thoughts),
    ...defined({ reasoning_content: reasoning }),
    tool_calls: actions.map(({ tool_call: { id, name, arguments: args } }) => ({
      id,
      type: 'function',
      function: { name, arguments: args },
    })),
  };
}

/** What the model sees of the result. */
function resultOf(
  action: ActionEvent,
  result: ResultEvent | undefined,
  { render }: ToOpenAiOptions,
): ChatMessage {
  const told = result === undefined ? undefined : messagesOf([action, result], render)[1];
  return {
    role: 'tool',
    content: told === undefined ? NO_RESULT : partsOf(told.content),
    tool_call_id: action.tool_call_id,
    name: action.tool_name,
  };
}

/** A string, or parts if there are images. */
function partsOf(content: readonly Content[]): ChatMessage['content'] {
  if (content.every((block) => block.type === 'text')) return textOf(content);
  return content.flatMap((block): ChatPart[] =>
    block.type === 'text'
      ? [{ type: 'text', text: block.text }]
      : block.image_urls.map((url) => ({ type: 'image_url', image_url: { url } })),
  );
}

export const openAiExporter: Exporter = {
  about: 'chat messages',
  text: async ({ branch, render }, { speaker }) => {
    const messages = toOpenAi(branch, { render: await render(), ...defined({ speaker }) });
    return `${JSON.stringify(messages, null, 2)}\n`;
  },
};

import { type TextContent, text } from '../../event/content.ts';
import type { EventId } from '../../event/identity.ts';
import type { Event, MessageEvent, SystemPromptEvent } from '../../event/kinds.ts';
import type { Json } from '../json-text.ts';
import { knowledgeFrom } from './knowledge.ts';
import { workspaceText } from './workspace-recall.ts';

/** Adds what V0 recalled to our events: knowledge to the message that triggered it, the workspace to the system prompt. */
export class Recalls {
  /** The ids of our messages, by the ids of their recall actions in V0. */
  readonly #messages = new Map<unknown, EventId>();
  readonly #told = new Set<string>();
  #last: EventId | undefined;

  said(message: EventId): void {
    this.#last = message;
  }

  asked(number: unknown): void {
    if (this.#last !== undefined) this.#messages.set(number, this.#last);
  }

  /** Adds a recall observation to `events`. Returns the id of its message; undefined if there is none. */
  found(cause: unknown, extras: Json, events: Event[]): EventId | undefined {
    const id = this.#messages.get(cause) ?? this.#last;
    const at = events.findLastIndex((event) => event.id === id);
    const message = events[at] as MessageEvent | undefined;
    if (message === undefined) return undefined;
    const { names, content } = knowledgeFrom(extras['microagent_knowledge'], this.#told);
    for (const name of names) this.#told.add(name);
    const place = workspaceText(extras);
    const rest: TextContent[] = place === '' || isInPrompt(place, events) ? [] : [text(place)];
    events[at] = {
      ...message,
      activated_skills: [...(message.activated_skills ?? []), ...names],
      extended_content: [...(message.extended_content ?? []), ...rest, ...content],
    };
    return message.id;
  }
}

/** Adds the text to the first system prompt; false if there is none, or if it has a dynamic part already. */
function isInPrompt(place: string, events: Event[]): boolean {
  const at = events.findIndex(({ kind }) => kind === 'SystemPromptEvent');
  const prompt = events[at] as SystemPromptEvent | undefined;
  if (prompt === undefined || prompt.dynamic_context !== undefined) return false;
  const { kind, ...fields } = prompt;
  events[at] = { ...fields, dynamic_context: text(place), kind };
  return true;
}

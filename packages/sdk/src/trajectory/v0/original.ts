/**
 * Parts of a V0 trajectory that our events have no field for. An import stores them in a state update after the event, and an export writes them
 * back.
 */
import { stateUpdate } from '../../conversation/state/state.ts';
import type { Draft } from '../../event/draft.ts';
import type { EventId } from '../../event/identity.ts';
import type { Event } from '../../event/kinds.ts';
import { isRecord } from '../../value/is-record.ts';
import type { Json } from '../json-text.ts';

/** The key of the state updates that hold originals. */
const KEY = 'v0_original';

export interface V0Original {
  /** Of a system message: its arguments besides the text. */
  readonly system?: Json;
  /** Of a message: what was recalled for it. */
  readonly recall?: { readonly content: string; readonly extras: Json };
  /** Of the first call of an answer: the whole answer. */
  readonly response?: Json;
}

export function originalDraft(eventId: EventId, original: V0Original): Draft {
  return stateUpdate(KEY, { event_id: eventId, ...original });
}

/** By the ids of the events that they belong to. */
export function originalsIn(events: readonly Event[]): ReadonlyMap<EventId, V0Original> {
  const found = new Map<EventId, V0Original>();
  for (const event of events) {
    if (event.kind !== 'ConversationStateUpdateEvent' || event.key !== KEY || !isRecord(event.value))
      continue;
    const { event_id: id, system, recall, response } = event.value;
    if (typeof id !== 'string') continue;
    found.set(id, {
      ...(isRecord(system) ? { system } : {}),
      ...(isRecord(response) ? { response } : {}),
      ...(isRecord(recall) && typeof recall['content'] === 'string' && isRecord(recall['extras'])
        ? { recall: { content: recall['content'], extras: recall['extras'] } }
        : {}),
    });
  }
  return found;
}

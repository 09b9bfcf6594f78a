import { accountsIn } from '../../conversation/state/accounts.ts';
import type { EventId } from '../../event/identity.ts';
import type { Event } from '../../event/kinds.ts';
import type { Json } from '../json-text.ts';
import { type ModelCall, modelCalls } from '../model-calls.ts';
import { passagesOf } from '../passages.ts';
import { responseOf } from './model-response.ts';

/** Of the given responses, those that an export would not make of the events, by the ids of their first calls. */
export function ownResponses(
  events: readonly Event[],
  given: ReadonlyMap<EventId, Json>,
  model: string | undefined,
): ReadonlyMap<EventId, Json> {
  const own = new Map(given);
  const calls = new Map<string, ModelCall>();
  for (const call of modelCalls(accountsIn(events))) calls.set(call.responseId, call);
  for (const passage of passagesOf(events)) {
    if (passage.kind !== 'turn') continue;
    const { responseId } = passage;
    const actions = passage.calls.map(({ action }) => action);
    const [first] = actions;
    const made = responseOf(responseId, actions, calls.get(responseId), model);
    if (first !== undefined && JSON.stringify(made) === JSON.stringify(given.get(first.id)))
      own.delete(first.id);
  }
  return own;
}

/** Makes a history from imported events. */
import { EventFormatError, parseEvent, serializeEvent } from '../event/codec.ts';
import type { Draft } from '../event/draft.ts';
import { type Clock, type EventId, systemClock, timestampOf } from '../event/identity.ts';
import { type Event, movesHead } from '../event/kinds.ts';
import { defined } from '../value/defined.ts';
import { passagesOf } from './passages.ts';
import { TrajectoryError } from './trajectory-error.ts';

/** Gives a draft a new id and the recorded time; by default the current time. */
export function stamped(draft: Draft, timestamp?: string, clock: Clock = systemClock): Event {
  const { source, ...own } = draft;
  return {
    id: clock.newId(draft),
    timestamp: timestamp ?? timestampOf(clock.now(draft)),
    source,
    ...own,
  } as Event;
}

/**
 * Puts events into one branch, with results after all calls of their turn; validates and freezes them. Throws TrajectoryError with
 * the position from `where` of an invalid event.
 */
export function historyOf(events: readonly Event[], where: (id: EventId) => string): Event[] {
  const ordered = passagesOf(events).flatMap((passage): Event[] => {
    if (passage.kind === 'event') return [passage.event];
    const results = passage.calls.flatMap(({ result }) => (result === undefined ? [] : [result]));
    return [...passage.calls.map(({ action }) => action), ...results];
  });
  let parent: EventId | undefined;
  return ordered.map((event) => {
    const { id, timestamp, source, ...own } = event;
    const head = { id, timestamp, source, ...defined({ parent_id: parent }) };
    if (movesHead(event)) parent = id;
    try {
      return parseEvent(JSON.stringify({ ...head, ...own }));
    } catch (error) {
      if (!(error instanceof EventFormatError)) throw error;
      throw new TrajectoryError(`${where(id)}: it is not a valid event: ${error.message}`);
    }
  });
}

/** An id that can be part of a file name. */
const STORABLE = /^[0-9a-fA-F-]{8,}$/;

/** The same events; ids that cannot be stored are replaced everywhere. */
export function withStorableIds(events: readonly Event[], clock: Clock = systemClock): readonly Event[] {
  const renamed = new Map<string, EventId>();
  for (const { id } of events) if (!STORABLE.test(id)) renamed.set(id, clock.newId());
  if (renamed.size === 0) return events;
  const idOf = (id: unknown): unknown => (typeof id === 'string' ? (renamed.get(id) ?? id) : id);
  return events.map((event) => {
    const copy: { [key: string]: unknown } = { ...event };
    for (const key of ['id', 'parent_id', 'action_id', 'message_id'])
      if (key in copy) copy[key] = idOf(copy[key]);
    if (Array.isArray(copy['forgotten_event_ids']))
      copy['forgotten_event_ids'] = copy['forgotten_event_ids'].map(idOf);
    return parseEvent(serializeEvent(copy as Event));
  });
}

import { type Clock, timestampOf } from './identity.ts';
import type { Event } from './kinds.ts';

type DraftOf<E> = E extends Event ? Omit<E, 'id' | 'timestamp' | 'parent_id'> : never;

/**
 * An event before it is appended: it has no id, time or parent yet. Its keys are in the order on disk, `kind` last.
 */
export type Draft = DraftOf<Event>;

/** Gives a draft its id, its time and its parent. */
export function eventOf(draft: Draft, parentId: string | null, clock: Clock): Event {
  const { source, ...own } = draft;
  const timestamp = timestampOf(clock.now(draft));
  const head = { id: clock.newId(draft), timestamp, source };
  return (parentId === null ? { ...head, ...own } : { ...head, parent_id: parentId, ...own }) as Event;
}

import { type Clock, timestampOf } from './identity.ts';
import type { Event } from './kinds.ts';

type DraftOf<E> = E extends Event ? Omit<E, 'id' | 'timestamp' | 'parent_id'> : never;

/**
 * An event before it is appended: what happened, not yet when, nor where in the tree. Keys stand in the order of
 * the disk, `kind` last.
 */
export type Draft = DraftOf<Event>;

/** Gives a draft its identity, its time and its place. */
export function eventOf(draft: Draft, parentId: string | null, clock: Clock): Event {
  const { source, ...own } = draft;
  const timestamp = timestampOf(clock.now(draft));
  const head = { id: clock.newId(draft), timestamp, source };
  return (parentId === null ? { ...head, ...own } : { ...head, parent_id: parentId, ...own }) as Event;
}

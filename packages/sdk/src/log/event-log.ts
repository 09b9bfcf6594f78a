import type { EventId } from '../event/identity.ts';
import type { Event } from '../event/kinds.ts';

/** A log as readers have it. Iterating it yields its events in order; gaps are skipped. */
export interface ReadableLog extends Iterable<Event> {
  /** The highest index plus one. */
  readonly length: number;
  /**
   * Reads on demand; a negative index counts from the end. Undefined in a gap, and where the event could not be read, which has been
   * reported once. Throws LogError `out_of_range` for an index that no event has had.
   */
  at(index: number): Event | undefined;
  has(id: EventId): boolean;
  /** Throws LogError `not_found` if there is no such event. */
  indexOf(id: EventId): number;
  /** The events of `[from, to)` with their indices; a negative index counts from the end, and gaps are skipped. */
  read(from?: number, to?: number): Iterable<readonly [index: number, event: Event]>;
}

/** Everything that happened, in order: append-only, durable, with one writer. */
export interface EventLog extends ReadableLog {
  /**
   * Checks the events, freezes them deeply and stores them in this order. Resolves with the index of the last when all are durable.
   * Rejects with LogError. For the codes `invalid_event`, `invalid_id` and `duplicate_id` nothing was stored and the log stays open;
   * otherwise it is closed for writing, and only reopening it shows what is on disk.
   */
  append(...events: readonly Event[]): Promise<number>;
  close(): Promise<void>;
}

/** The log without the means to change it. */
export function readOnly(log: ReadableLog): ReadableLog {
  return Object.freeze({
    get length() {
      return log.length;
    },
    at: (index: number) => log.at(index),
    has: (id: EventId) => log.has(id),
    indexOf: (id: EventId) => log.indexOf(id),
    read: (from?: number, to?: number) => log.read(from, to),
    [Symbol.iterator]: () => log[Symbol.iterator](),
  });
}

/** `process` survives a crash of this process, `power` a power cut too. */
export type Durability = 'power' | 'process';

import type { EventId } from '../event/identity.ts';
import type { Event } from '../event/kinds.ts';

/** Everything that happened, in order: append-only, durable, with one writer. */
export interface EventLog {
  /** The highest index plus one. */
  readonly length: number;
  /**
   * Stores the events in this order. Resolves with the index of the last when all are durable. Rejects with LogError; unless the
   * reason was an id, the log is then closed for writing, and only reopening it shows what is on disk.
   */
  append(...events: readonly Event[]): Promise<number>;
  /**
   * Reads on demand; a negative index counts from the end. Undefined if there is no event: past the end, in a gap, or where the
   * event could not be read, which has been reported once.
   */
  at(index: number): Event | undefined;
  /** -1 if there is no such event. */
  indexOf(id: EventId): number;
  /** The events of `[from, to)` with their indices; gaps are skipped. */
  read(from?: number, to?: number): Iterable<readonly [index: number, event: Event]>;
  close(): Promise<void>;
}

/** `process` survives a crash of this process, `power` a power cut too. */
export type Durability = 'power' | 'process';

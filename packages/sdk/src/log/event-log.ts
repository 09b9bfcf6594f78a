import type { EventId } from '../event/identity.ts';
import type { Event } from '../event/kinds.ts';

/** Everything that happened, in order. One writer; append-only; durable. */
export interface EventLog {
  /** One more than the highest index. */
  readonly length: number;
  /**
   * Stores the events in this order; resolves when all are durable, with the index of the last. If it rejects, the
   * log is closed for writing: what is on disk is told by opening it again.
   */
  append(...events: readonly Event[]): Promise<number>;
  /**
   * Reads on demand; a negative index counts from the end. Undefined where there is none: past the end, in a gap, or
   * where the file could not be read (which has been reported once).
   */
  at(index: number): Event | undefined;
  /** -1 if there is no such event. */
  indexOf(id: EventId): number;
  /** The events of `[from, to)` with their indices; gaps are passed over. */
  read(from?: number, to?: number): Iterable<readonly [index: number, event: Event]>;
  close(): Promise<void>;
}

/** `process` survives a crash of this process, `power` a power cut too. */
export type Durability = 'power' | 'process';

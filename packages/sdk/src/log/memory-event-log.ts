import type { EventId } from '../event/identity.ts';
import type { Event } from '../event/kinds.ts';
import type { EventLog } from './event-log.ts';
import { LogError } from './log-error.ts';
import { checkAppend, foundIndex, positionOf, rangeOf } from './log-rules.ts';

/** A log in memory, for tests and for conversations that are not to be stored. */
export class MemoryEventLog implements EventLog {
  readonly #events: Event[] = [];
  readonly #indices = new Map<EventId, number>();
  #closed = false;

  get length(): number {
    return this.#events.length;
  }

  async append(...events: readonly Event[]): Promise<number> {
    if (this.#closed) throw new LogError('closed', 'the log is closed');
    checkAppend(events, (id) => this.#indices.has(id));
    for (const event of events) {
      this.#indices.set(event.id, this.#events.length);
      this.#events.push(event);
    }
    return this.#events.length - 1;
  }

  at(index: number): Event | undefined {
    return this.#events[positionOf(index, this.length)];
  }

  has(id: EventId): boolean {
    return this.#indices.has(id);
  }

  indexOf(id: EventId): number {
    return foundIndex(id, this.#indices.get(id));
  }

  *read(from = 0, to = this.length): Iterable<readonly [number, Event]> {
    const [first, end] = rangeOf(from, to, this.length);
    for (const [i, event] of this.#events.slice(first, end).entries()) yield [first + i, event];
  }

  [Symbol.iterator](): Iterator<Event> {
    return this.#events.values();
  }

  async close(): Promise<void> {
    this.#closed = true;
  }
}

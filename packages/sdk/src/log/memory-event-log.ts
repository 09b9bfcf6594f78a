import type { EventId } from '../event/identity.ts';
import type { Event } from '../event/kinds.ts';
import type { EventLog } from './event-log.ts';
import { LogError } from './log-error.ts';

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
    checkIds(events, (id) => this.#indices.has(id));
    for (const event of events) {
      this.#indices.set(event.id, this.#events.length);
      this.#events.push(event);
    }
    return this.#events.length - 1;
  }

  at(index: number): Event | undefined {
    return this.#events.at(index);
  }

  indexOf(id: EventId): number {
    return this.#indices.get(id) ?? -1;
  }

  *read(from = 0, to = this.length): Iterable<readonly [number, Event]> {
    for (const [i, event] of this.#events.slice(from, to).entries()) yield [from + i, event];
  }

  async close(): Promise<void> {
    this.#closed = true;
  }
}

/** The reference recognises a file only if the id in its name has this form. */
const ID = /^[0-9a-fA-F-]{8,}$/;

/** Throws LogError if one of the events cannot be stored under its id. */
export function checkIds(events: readonly Event[], isTaken: (id: EventId) => boolean): void {
  const seen = new Set<EventId>();
  for (const { id } of events) {
    if (!ID.test(id))
      throw new LogError('invalid_id', `"${id}" cannot be an event's id: hexadecimal digits and hyphens`);
    if (seen.has(id) || isTaken(id)) throw new LogError('duplicate_id', `there is already an event ${id}`);
    seen.add(id);
  }
}

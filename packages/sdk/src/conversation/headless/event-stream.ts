/**
 * A conversation's log with V0's interface (`openhands/events/stream.py`): subscribers by id, each of which receives every event in the
 * order of the log, at its own pace. Pending events are in the log and nowhere else, so a slow subscriber costs no memory, and a late one
 * misses nothing. An event's number is its index in the log.
 */
import type { Event, Source } from '../../event/kinds.ts';
import type { ReadableLog } from '../../log/event-log.ts';
import type { Listener } from '../run/recorder.ts';

export type Subscriber = (event: Event, number: number) => void | Promise<void>;

export interface EventFilter {
  /** The first index. Default 0. */
  readonly startId?: number;
  /** The last index, inclusive. Default: the latest. */
  readonly endId?: number;
  /** Whether the latest event comes first. */
  readonly reverse?: boolean;
  readonly limit?: number;
  readonly source?: Source;
  readonly kinds?: readonly Event['kind'][];
  /** A substring of the event's JSON, case-insensitive. */
  readonly query?: string;
}

/** What EventStream needs of a Conversation. */
export interface Streamed {
  readonly log: ReadableLog;
  subscribe(listener: Listener): () => void;
}

interface Subscription {
  readonly id: string;
  readonly tell: Subscriber;
  /** The index of the next event that it receives. */
  next: number;
  told: Promise<void>;
  isTelling: boolean;
  hasThrown: boolean;
}

/** A conversation's events under V0's methods: subscribe, unsubscribe, search. */
export class EventStream {
  readonly #log: ReadableLog;
  readonly #unsubscribe: () => void;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #onFault: (text: string) => void;
  /** The number of durable events. */
  #length: number;

  /** `onFault` is called once for a subscriber that throws. Default: a process warning. */
  constructor(conversation: Streamed, onFault: (text: string) => void = (text) => process.emitWarning(text)) {
    this.#log = conversation.log;
    this.#length = conversation.log.length;
    this.#onFault = onFault;
    this.#unsubscribe = conversation.subscribe({
      onEvent: (_, number) => {
        this.#length = number + 1;
        for (const subscription of this.#subscriptions.values()) this.#wake(subscription);
      },
    });
  }

  /**
   * Subscribes to events from now on, or from index `from` on, which may be in the past. Throws TypeError if the id is in use.
   */
  subscribe(id: string, tell: Subscriber, { from = this.#length }: { readonly from?: number } = {}): void {
    if (this.#subscriptions.has(id)) throw new TypeError(`there is a subscriber "${id}" already`);
    const told = Promise.resolve();
    const next = Math.max(0, from);
    const subscription = { id, tell, next, told, isTelling: false, hasThrown: false };
    this.#subscriptions.set(id, subscription);
    this.#wake(subscription);
  }

  /** Returns false if there is no such subscriber. It may still be handling its latest event. */
  unsubscribe(id: string): boolean {
    return this.#subscriptions.delete(id);
  }

  /** The event with this index; undefined if there is none. */
  getEvent(number: number): Event | undefined {
    return number < 0 || number >= this.#log.length ? undefined : this.#log.at(number);
  }

  /** The index of the latest event; -1 if there is none. */
  getLatestEventId(): number {
    return this.#length - 1;
  }

  *searchEvents(filter: EventFilter = {}): Generator<readonly [number: number, event: Event]> {
    const { startId = 0, endId = Infinity, reverse = false, limit = Infinity } = filter;
    const first = Math.max(0, startId);
    const count = Math.min(endId + 1, this.#length) - first;
    for (let i = 0, found = 0; i < count && found < limit; i += 1) {
      const number = reverse ? first + count - 1 - i : first + i;
      const event = this.#log.at(number);
      if (event === undefined || !matches(event, filter)) continue;
      found += 1;
      yield [number, event];
    }
  }

  /** Resolves when every subscriber has handled all events so far. */
  async settled(): Promise<void> {
    await Promise.all([...this.#subscriptions.values()].map(({ told }) => told));
  }

  /** Delivers pending events, then ends all subscriptions. */
  async close(): Promise<void> {
    this.#unsubscribe();
    await this.settled();
    this.#subscriptions.clear();
  }

  #wake(subscription: Subscription): void {
    if (subscription.isTelling) return;
    subscription.isTelling = true;
    subscription.told = this.#catchUp(subscription);
  }

  async #catchUp(subscription: Subscription): Promise<void> {
    // A subscriber must not delay the writer.
    await Promise.resolve();
    while (subscription.next < this.#length && this.#subscriptions.get(subscription.id) === subscription) {
      const number = subscription.next;
      subscription.next += 1;
      const event = this.#log.at(number);
      if (event !== undefined) await this.#tell(subscription, event, number);
    }
    subscription.isTelling = false;
  }

  async #tell(subscription: Subscription, event: Event, number: number): Promise<void> {
    try {
      await subscription.tell(event, number);
    } catch (error) {
      if (subscription.hasThrown) return;
      subscription.hasThrown = true; // reported once: it may throw at every event
      this.#onFault(`the subscriber "${subscription.id}" threw at event ${number}: ${String(error)}`);
    }
  }
}

function matches(event: Event, { source, kinds, query }: EventFilter): boolean {
  return (
    (source === undefined || event.source === source) &&
    (kinds === undefined || kinds.includes(event.kind)) &&
    (query === undefined || JSON.stringify(event).toLowerCase().includes(query.toLowerCase()))
  );
}

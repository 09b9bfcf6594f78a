/**
 * A conversation's log as V0's users know it (`openhands/events/stream.py`): subscribers by id, each told every event in the
 * order of the log, at its own pace. What a subscriber has not heard yet stands in the log and nowhere else, so one that is
 * slow costs no memory, and one that comes late has missed nothing. An event's number is its place in the log.
 */
import type { Event, Source } from '../../event/kinds.ts';
import type { EventLog } from '../../log/event-log.ts';
import type { Listener } from '../run/recorder.ts';

export type Subscriber = (event: Event, number: number) => void | Promise<void>;

export interface EventFilter {
  /** The first number; default 0. */
  readonly startId?: number;
  /** The last number, itself included; default the latest. */
  readonly endId?: number;
  /** The latest first. */
  readonly reverse?: boolean;
  readonly limit?: number;
  readonly source?: Source;
  readonly kinds?: readonly Event['kind'][];
  /** A part of the event's JSON, in whatever case. */
  readonly query?: string;
}

/** A Conversation is one. */
export interface Streamed {
  readonly log: EventLog;
  subscribe(listener: Listener): () => void;
}

interface Subscription {
  readonly id: string;
  readonly tell: Subscriber;
  /** The number that it is told next. */
  next: number;
  told: Promise<void>;
  isTelling: boolean;
  hasThrown: boolean;
}

/** A conversation's events under V0's methods: subscribe, unsubscribe, search. */
export class EventStream {
  readonly #log: EventLog;
  readonly #unsubscribe: () => void;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #onFault: (text: string) => void;
  /** One more than the number of the latest event that is durable. */
  #length: number;

  /** `onFault` is told once of a subscriber that throws; default: a warning of the process. */
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
   * From now on, or from the event of number `from` on, which may lie in the past. Throws TypeError if the id is taken: end
   * that subscription first.
   */
  subscribe(id: string, tell: Subscriber, { from = this.#length }: { readonly from?: number } = {}): void {
    if (this.#subscriptions.has(id)) throw new TypeError(`there is a subscriber "${id}" already`);
    const told = Promise.resolve();
    const next = Math.max(0, from);
    const subscription = { id, tell, next, told, isTelling: false, hasThrown: false };
    this.#subscriptions.set(id, subscription);
    this.#wake(subscription);
  }

  /** False if there is no such subscriber. It may still be busy with the event that it was told. */
  unsubscribe(id: string): boolean {
    return this.#subscriptions.delete(id);
  }

  /** Undefined where there is none. */
  getEvent(number: number): Event | undefined {
    return number < 0 ? undefined : this.#log.at(number);
  }

  /** -1 if nothing has happened. */
  getLatestEventId(): number {
    return this.#length - 1;
  }

  *searchEvents(filter: EventFilter = {}): Generator<readonly [number: number, event: Event]> {
    const {
      startId = 0,
      endId = this.#length - 1,
      reverse = false,
      limit = Number.POSITIVE_INFINITY,
    } = filter;
    const first = Math.max(0, startId);
    const count = Math.min(endId, this.#length - 1) - first + 1;
    for (let i = 0, found = 0; i < count && found < limit; i += 1) {
      const number = reverse ? first + count - 1 - i : first + i;
      const event = this.#log.at(number);
      if (event === undefined || !matches(event, filter)) continue;
      found += 1;
      yield [number, event];
    }
  }

  /** Resolves when every subscriber has been told what there is, and has dealt with it. */
  async settled(): Promise<void> {
    await Promise.all([...this.#subscriptions.values()].map(({ told }) => told));
  }

  /** Tells what is still to be told, and ends all subscriptions. */
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
    // Whoever appends is not kept waiting by a subscriber.
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
      subscription.hasThrown = true; // said once: it may throw at every event
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

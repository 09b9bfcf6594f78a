import { type Draft, eventOf } from '../../event/draft.ts';
import { deepFreeze } from '../../event/freeze.ts';
import { type Clock, ROOT } from '../../event/identity.ts';
import { type Event, movesHead } from '../../event/kinds.ts';
import type { EventLog } from '../../log/event-log.ts';
import { isRefusal, LogError } from '../../log/log-error.ts';
import { maskDeep, masker } from '../../security/mask.ts';
import type { History } from '../state/history.ts';
import { type State, stateUpdate } from '../state/state.ts';
import type { Notice } from '../state/status.ts';

/** Receives a conversation's events, and notices that are not stored. */
export interface Listener {
  /** Called once for each event, in the order of the log, when it is durable. */
  onEvent?(event: Event, index: number): void;
  onNotice?(notice: Notice): void;
}

export interface RecorderOptions {
  /** Masked in everything that is stored. */
  readonly secrets?: readonly string[] | undefined;
  /** Replaces drafts before they are stored. */
  readonly reword?: ((draft: Draft) => Draft) | undefined;
}

const LATEST_WITHIN_MS = 250;

/**
 * The only way into the log: drafts become events of the active branch, which are stored, folded, and passed to the listeners, in this
 * order. Calls are served one after another.
 */
export class Recorder {
  readonly #log: EventLog;
  readonly #history: History;
  readonly #clock: Clock;
  readonly #safe: (draft: Draft) => Draft;
  readonly #listeners = new Set<Listener>();
  readonly #faulty = new WeakSet<Listener>();
  #last: Promise<unknown> = Promise.resolve();
  readonly #latest = new Map<string, () => unknown>();
  #timer: NodeJS.Timeout | null = null;
  #failure: LogError | null = null;

  constructor(log: EventLog, history: History, clock: Clock, { secrets = [], reword }: RecorderOptions = {}) {
    this.#log = log;
    const mask = secrets.length === 0 ? undefined : masker(secrets);
    this.#safe = (draft) => {
      const worded = reword?.(draft) ?? draft;
      return mask === undefined ? worded : maskDeep(worded, mask);
    };
    this.#history = history;
    this.#clock = clock;
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Why an append failed; null if none has. What happened since the last stored event is then unknown to the log, so nothing more may be
   * done in its name: only opening the conversation again tells which calls are still open.
   */
  get failure(): LogError | null {
    return this.#failure;
  }

  /** Accepts nothing more: an event that had to be stored was not. Returns the error. */
  broken(error: LogError): LogError {
    this.#failure ??= error;
    return error;
  }

  /** Stores nothing before `ready` resolves. */
  holdUntil(ready: Promise<void>): void {
    this.#last = Promise.all([this.#last, ready]);
  }

  /** Resolves when all are durable and folded. Either all are stored or none: a rejection closes the log. */
  record(...drafts: readonly Draft[]): Promise<readonly Event[]> {
    return this.recordNext(() => drafts);
  }

  /** The same for drafts that are made once everything before them is stored and folded. */
  recordNext(make: (state: State) => readonly Draft[]): Promise<readonly Event[]> {
    const recorded = this.#last.then(() => this.#store(make(this.#history.state)));
    this.#last = recorded.catch(() => undefined);
    return recorded;
  }

  /**
   * Stores a value of which only the latest matters, within a quarter of a second, and at the latest in `settled`. `read` is called when it is
   * stored; a later call with the same key replaces it.
   */
  recordLatest(key: string, read: () => unknown): void {
    this.#latest.set(key, read);
    // A failure closes the log, so the next record reports it.
    this.#timer ??= setTimeout(() => this.settled().catch(() => undefined), LATEST_WITHIN_MS).unref();
  }

  warn(text: string): void {
    this.notify({ type: 'warning', text });
  }

  notify(notice: Notice): void {
    this.#tell((listener) => listener.onNotice?.(notice));
  }

  /** Resolves when everything so far is stored. */
  async settled(): Promise<void> {
    const latest = [...this.#latest];
    this.#latest.clear();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.record(...latest.map(([key, read]) => stateUpdate(key, read())));
  }

  async #store(drafts: readonly Draft[]): Promise<readonly Event[]> {
    const events = this.#place(drafts);
    if (events.length === 0) return [];
    const last = await this.#append(events);
    for (const [i, event] of events.entries()) {
      this.#history.apply(event);
      this.#tell((listener) => listener.onEvent?.(event, last - events.length + 1 + i));
    }
    return events;
  }

  async #append(events: readonly Event[]): Promise<number> {
    try {
      return await this.#log.append(...events);
    } catch (error) {
      if (error instanceof LogError && !isRefusal(error)) this.broken(error);
      throw error;
    }
  }

  /** Each event follows the one before it; bookkeeping does not lengthen the branch. */
  #place(drafts: readonly Draft[]): Event[] {
    let leaf = this.#history.state.leafId ?? (this.#log.length > 0 ? ROOT : null);
    return drafts.map((draft) => {
      const event = deepFreeze(eventOf(this.#safe(draft), leaf, this.#clock));
      if (movesHead(event)) leaf = event.id;
      return event;
    });
  }

  /** A listener that throws affects neither the others nor the run. */
  #tell(call: (listener: Listener) => void): void {
    for (const listener of this.#listeners) {
      try {
        call(listener);
      } catch (error) {
        if (this.#faulty.has(listener)) continue;
        this.#faulty.add(listener); // reported once: it may throw at every event
        process.emitWarning(`a conversation's listener threw: ${String(error)}`);
      }
    }
  }
}

import { ToolError } from '@longhand/sdk';

const WAIT_MS = 300_000;

interface Waiting<T> {
  readonly choose: () => T | null;
  readonly resolve: (item: T) => void;
  readonly reject: (reason: unknown) => void;
}

/** Hands out items to one user at a time. Those who find none free wait, first come, first served. */
export class Turns<T> {
  readonly #busy: (seconds: number) => string;
  readonly #waitMs: number;
  readonly #taken = new Set<T>();
  #waiting: readonly Waiting<T>[] = [];
  #isClosed = false;

  /** `busy`: the error message after a wait of so many seconds. */
  constructor(busy: (seconds: number) => string, waitMs = WAIT_MS) {
    this.#busy = busy;
    this.#waitMs = waitMs;
  }

  isTaken(item: T): boolean {
    return this.#taken.has(item);
  }

  /**
   * Runs `act` with the item that `choose` returns once it is free; `choose` is called again whenever an item is returned.
   * Throws a ToolError if the wait takes too long or everything is closed, or the signal's reason.
   */
  async take<R>(choose: () => T | null, signal: AbortSignal, act: (item: T) => Promise<R>): Promise<R> {
    if (this.#isClosed) throw new ToolError('The terminal is closed.');
    const item = this.#chosen(choose) ?? (await this.#wait(choose, signal));
    try {
      return await act(item);
    } finally {
      this.#taken.delete(item);
      this.#serve();
    }
  }

  /** Rejects those who wait; items in use stay with their users until they are done. */
  close(): void {
    this.#isClosed = true;
    for (const { reject } of this.#waiting) reject(new ToolError('The terminal is closed.'));
    this.#waiting = [];
  }

  #chosen(choose: () => T | null): T | null {
    const item = choose();
    if (item === null || this.#taken.has(item)) return null;
    this.#taken.add(item);
    return item;
  }

  #serve(): void {
    this.#waiting = this.#waiting.filter(({ choose, resolve }) => {
      const item = this.#chosen(choose);
      if (item !== null) resolve(item);
      return item === null;
    });
  }

  async #wait(choose: () => T | null, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const entry: Waiting<T> = { choose, resolve, reject };
    this.#waiting = [...this.#waiting, entry];
    const leave = (reason: unknown) => {
      this.#waiting = this.#waiting.filter((each) => each !== entry);
      reject(reason);
    };
    const onAbort = () => leave(signal.reason);
    const timer = setTimeout(() => leave(new ToolError(this.#busy(this.#waitMs / 1_000))), this.#waitMs);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  }
}

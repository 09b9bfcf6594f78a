/**
 * Locks for what a call must hold exclusively, by key (`file:/a.py`, `terminal:session`). First come, first served; a call takes its
 * keys in sorted order, so that calls never deadlock.
 */

/** How long a call waits for a key, by the key's prefix. */
const WAIT_MS: { readonly [prefix: string]: number } = {
  file: 30_000,
  terminal: 300_000,
  ipython: 300_000,
  browser: 300_000,
  mcp: 300_000,
  tool: 60_000,
};
const OTHER_WAIT_MS = 30_000;

/** Thrown when another call did not release a key in time. */
export class LockTimeoutError extends Error {
  override readonly name = 'LockTimeoutError';

  constructor(key: string, ms: number) {
    super(`another call has held ${key} for ${ms / 1_000} s; this call was not started`);
  }
}

export class Locks {
  /** By key: resolves when the last call in the queue has released it. */
  readonly #tails = new Map<string, Promise<void>>();
  readonly #waitMs: (key: string) => number;

  /** `waitMs`: how long to wait for a key; default: by its prefix. */
  constructor(waitMs: (key: string) => number = defaultWaitMs) {
    this.#waitMs = waitMs;
  }

  /** The number of keys that are held or waited for. */
  get size(): number {
    return this.#tails.size;
  }

  /** Runs `act` while it holds the keys. Throws LockTimeoutError, or the signal's reason, before `act` has started. */
  async with<T>(keys: readonly string[], signal: AbortSignal, act: () => Promise<T>): Promise<T> {
    const held: (() => void)[] = [];
    try {
      for (const key of [...new Set(keys)].sort()) held.push(await this.#take(key, signal));
      return await act();
    } finally {
      for (const release of held.reverse()) release();
    }
  }

  async #take(key: string, signal: AbortSignal): Promise<() => void> {
    const before = this.#tails.get(key);
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const tail = (before ?? Promise.resolve()).then(() => done);
    this.#tails.set(key, tail);
    const release = () => {
      resolve();
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    };
    if (before === undefined) return release;
    try {
      await inTime(before, this.#waitMs(key), signal, key);
      return release;
    } catch (error) {
      // Calls behind this one must still wait for those ahead of it.
      void before.then(release);
      throw error;
    }
  }
}

function defaultWaitMs(key: string): number {
  return WAIT_MS[key.slice(0, key.indexOf(':'))] ?? OTHER_WAIT_MS;
}

async function inTime(turn: Promise<void>, ms: number, signal: AbortSignal, key: string): Promise<void> {
  signal.throwIfAborted();
  const { promise: givenUp, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  const timer = setTimeout(() => reject(new LockTimeoutError(key, ms)), ms);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([turn, givenUp]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

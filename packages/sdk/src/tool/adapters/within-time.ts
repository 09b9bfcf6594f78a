import { LONGEST_TIMER_MS } from '../../value/longest-timer.ts';

/** Time limit of one call. */
export const DEFAULT_TIMEOUT_MS = 300_000;

/** Returned when the time is up. */
export const LATE = Symbol('late');

export interface TimeLimit {
  /** In milliseconds; 0: none. */
  readonly timeoutMs: number;
  /** Aborted when the time is up. */
  readonly timeUp: AbortController;
  /** Ends the limit: the conversation stops waiting by itself. */
  readonly interrupt: AbortSignal;
}

/** Awaits work. Returns `LATE` when the time is up; the work is then aborted, but may continue. */
export async function withinTime<T>(work: Promise<T>, limit: TimeLimit): Promise<T | typeof LATE> {
  const { timeoutMs, timeUp, interrupt } = limit;
  const { promise: late, resolve } = Promise.withResolvers<typeof LATE>();
  const isLimited = timeoutMs > 0 && timeoutMs <= LONGEST_TIMER_MS;
  const timer = isLimited ? setTimeout(giveUp, timeoutMs) : undefined;
  function giveUp() {
    resolve(LATE);
    timeUp.abort(new DOMException('The call timed out.', 'TimeoutError'));
  }
  // A tool that does not react to an interrupt is abandoned, and its timer must not keep the process alive.
  const onInterrupt = () => clearTimeout(timer);
  interrupt.addEventListener('abort', onInterrupt, { once: true });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    interrupt.removeEventListener('abort', onInterrupt);
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { LONGEST_TIMER_MS } from '../../value/longest-timer.ts';
import type { LlmConfig, RetryPolicy } from '../config/llm-config.ts';
import { LLMError } from '../errors.ts';
import type { CompleteOptions, Completion, LLM, Prompt } from '../llm.ts';

const ATTEMPTS = 5;
const MULTIPLIER_MS = 8_000;
const MIN_WAIT_MS = 8_000;
const MAX_WAIT_MS = 64_000;
/** The longest wait that a provider may ask for; it may exceed the configured one. */
const MAX_ASKED_WAIT_MS = 300_000;

/** Time and chance; a test brings its own. */
export interface Timing {
  /** Milliseconds that never go back. */
  now(): number;
  /** Rejects with the signal's AbortError. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** From 0 up to, but not including, 1. */
  random(): number;
}

const REAL: Timing = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(Math.min(ms, LONGEST_TIMER_MS), undefined, { signal }),
  random: () => Math.random(),
};

/**
 * Retries errors that are retryable: `attempts` in all, after 8, 16, 32 and 64 s by default, or after the time that the provider
 * asks for. Up to a quarter is added at random, so that clients do not come back all at once. All attempts and waits together
 * stay within `deadlineMs`: no wait is begun that would end later, and an attempt in progress is aborted.
 */
export function withRetry(llm: LLM, { retry = {}, sampling }: LlmConfig, timing: Timing = REAL): LLM {
  const maxAttempts = Math.max(1, retry.attempts ?? ATTEMPTS);
  return {
    ...llm,
    complete: async (prompt, options) => {
      const endsAt = timing.now() + (retry.deadlineMs || Number.POSITIVE_INFINITY);
      let asked = options;
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await withinDeadline(llm, prompt, asked, endsAt, timing);
        } catch (error) {
          if (!(error instanceof LLMError) || !error.retryable) throw error;
          const waitMs = waitAfter(attempt, error, retry, timing);
          const isLate = timing.now() + waitMs >= endsAt;
          if (attempt >= maxAttempts || isLate)
            throw exhausted(error, attempt, isLate ? retry.deadlineMs : undefined);
          options.onRetry?.({ attempt, maxAttempts, waitMs, error });
          await timing.sleep(waitMs, options.signal);
          // At temperature 0 a model that answered nothing would answer nothing again.
          if (error.code === 'LLMNoResponseError' && sampling?.temperature === 0)
            asked = { ...options, temperature: 1 };
        }
      }
    },
  };
}

function waitAfter(
  attempt: number,
  { retryAfterMs }: LLMError,
  { minWaitMs = MIN_WAIT_MS, maxWaitMs = MAX_WAIT_MS, multiplierMs = MULTIPLIER_MS }: RetryPolicy,
  { random }: Timing,
): number {
  const grownMs = multiplierMs * 2 ** (attempt - 1);
  const baseMs =
    retryAfterMs === undefined
      ? Math.max(minWaitMs, Math.min(maxWaitMs, grownMs))
      : Math.min(retryAfterMs, MAX_ASKED_WAIT_MS);
  return Math.round(baseMs * (1 + random() / 4));
}

async function withinDeadline(
  llm: LLM,
  prompt: Prompt,
  options: CompleteOptions,
  endsAt: number,
  timing: Timing,
): Promise<Completion> {
  if (endsAt === Number.POSITIVE_INFINITY) return await llm.complete(prompt, options);
  const late = new AbortController();
  const done = new AbortController();
  const leftMs = Math.max(0, endsAt - timing.now());
  timing.sleep(leftMs, done.signal).then(
    () => late.abort(),
    () => undefined, // the attempt was over in time
  );
  try {
    return await llm.complete(prompt, { ...options, signal: AbortSignal.any([options.signal, late.signal]) });
  } catch (error) {
    if (options.signal.aborted || !late.signal.aborted) throw error;
    throw new LLMError('LLMTimeoutError', `${llm.model.name} did not answer in time`, {
      retryable: true,
      cause: error,
    });
  } finally {
    done.abort();
  }
}

function exhausted(error: LLMError, attempts: number, deadlineMs: number | undefined): LLMError {
  const tried = attempts === 1 ? 'tried once' : `tried ${attempts} times`;
  const within = deadlineMs === undefined ? '' : `; the limit is ${deadlineMs / 1_000} s`;
  return new LLMError(error.code, `${error.message} (${tried}${within})`, {
    retryable: true,
    remedy: error.remedy,
    status: error.status,
    retryAfterMs: error.retryAfterMs,
    cause: error,
  });
}

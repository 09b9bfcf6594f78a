import { setTimeout as sleep } from 'node:timers/promises';
import { LONGEST_TIMER_MS } from '../../value/longest-timer.ts';
import type { LlmConfig, RetryPolicy } from '../config/llm-config.ts';
import { LLMError } from '../errors.ts';
import type { CompleteOptions, Completion, LLM, Prompt } from '../llm.ts';

const MULTIPLIER_MS = 8_000;
const MIN_WAIT_MS = 8_000;
const MAX_WAIT_MS = 64_000;
/** A provider may ask for longer than our own longest wait, but not for ever. */
const MAX_ASKED_WAIT_MS = 300_000;

/**
 * Tries again what may go better: as often as `attempts` says, the first attempt included, waiting 8, 16, 32, 64 s by
 * default, or as long as the provider asks for. Up to a quarter is added by chance, so that many do not come back at once.
 * All attempts and waits together keep within `deadlineMs`.
 */
export function withRetry(llm: LLM, { retry: policy = {}, sampling }: LlmConfig): LLM {
  const maxAttempts = Math.max(1, policy.attempts ?? 5);
  return {
    ...llm,
    complete: async (prompt, options) => {
      const endsAt = performance.now() + (policy.deadlineMs || Number.POSITIVE_INFINITY);
      let asked = options;
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await withinDeadline(llm, prompt, asked, endsAt);
        } catch (error) {
          if (!(error instanceof LLMError) || !error.retryable) throw error;
          const waitMs = waitBefore(attempt + 1, error, policy);
          const isLate = performance.now() + waitMs >= endsAt;
          if (attempt >= maxAttempts || isLate)
            throw exhausted(error, attempt, isLate ? policy.deadlineMs : undefined);
          options.onRetry?.({ attempt, maxAttempts, waitMs, error });
          await sleep(waitMs, undefined, { signal: options.signal });
          // A model that says nothing at temperature 0 says nothing again.
          if (error.code === 'LLMNoResponseError' && sampling?.temperature === 0)
            asked = { ...options, temperature: 1 };
        }
      }
    },
  };
}

function waitBefore(attempt: number, { retryAfterMs }: LLMError, policy: RetryPolicy): number {
  const minMs = policy.minWaitMs ?? MIN_WAIT_MS;
  const maxMs = Math.max(minMs, policy.maxWaitMs ?? MAX_WAIT_MS);
  const grownMs = (policy.multiplierMs ?? MULTIPLIER_MS) * 2 ** (attempt - 2);
  const askedMs =
    retryAfterMs === undefined
      ? Math.min(maxMs, Math.max(minMs, grownMs))
      : Math.min(retryAfterMs, MAX_ASKED_WAIT_MS);
  return Math.round(askedMs * (1 + Math.random() / 4));
}

/** An attempt that is under way when the time is up is given up. */
async function withinDeadline(
  llm: LLM,
  prompt: Prompt,
  options: CompleteOptions,
  endsAt: number,
): Promise<Completion> {
  if (endsAt === Number.POSITIVE_INFINITY) return await llm.complete(prompt, options);
  const late = new AbortController();
  const leftMs = Math.max(0, endsAt - performance.now());
  const timer = setTimeout(() => late.abort(), Math.min(leftMs, LONGEST_TIMER_MS));
  try {
    return await llm.complete(prompt, { ...options, signal: AbortSignal.any([options.signal, late.signal]) });
  } catch (error) {
    if (options.signal.aborted || !late.signal.aborted) throw error;
    throw new LLMError('LLMTimeoutError', `${llm.model.name} gave no answer in time`, {
      retryable: true,
      cause: error,
    });
  } finally {
    clearTimeout(timer);
  }
}

function exhausted(error: LLMError, attempts: number, deadlineMs: number | undefined): LLMError {
  const tried = attempts === 1 ? 'tried once' : `tried ${attempts} times`;
  const within = deadlineMs === undefined ? '' : `; no more within ${deadlineMs / 1_000} s`;
  return new LLMError(error.code, `${error.message} (${tried}${within})`, {
    retryable: true,
    remedy: error.remedy,
    status: error.status,
    retryAfterMs: error.retryAfterMs,
    cause: error,
  });
}

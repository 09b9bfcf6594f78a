import { setTimeout as sleep } from 'node:timers/promises';
import { LLMError } from './errors.ts';
import type { LLM, LlmConfig } from './llm.ts';

const MAX_WAIT_MS = 64_000;
/** A provider may ask for longer than our own longest wait, but not for ever. */
const MAX_ASKED_WAIT_MS = 300_000;

/**
 * Tries again what may go better: as often as `numRetries` says, the first attempt included, waiting 8, 16, 32, 64 s by
 * default, or as long as the provider asks for. Up to a quarter is added by chance, so that many do not come back at once.
 */
export function withRetry(llm: LLM, config: LlmConfig): LLM {
  const maxAttempts = Math.max(1, config.numRetries ?? 5);
  const minWaitMs = config.retryMinWaitMs ?? 8_000;
  const maxWaitMs = Math.max(minWaitMs, config.retryMaxWaitMs ?? MAX_WAIT_MS);
  return {
    model: llm.model,
    usageId: llm.usageId,
    complete: async (prompt, options) => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await llm.complete(prompt, options);
        } catch (error) {
          if (!(error instanceof LLMError) || !error.retryable) throw error;
          if (attempt >= maxAttempts) throw exhausted(error, attempt);
          const ownWaitMs = Math.min(maxWaitMs, minWaitMs * 2 ** (attempt - 1));
          const askedMs =
            error.retryAfterMs === undefined ? ownWaitMs : Math.min(error.retryAfterMs, MAX_ASKED_WAIT_MS);
          const waitMs = Math.round(askedMs * (1 + Math.random() / 4));
          options.onRetry?.({ attempt, maxAttempts, waitMs, error });
          await sleep(waitMs, undefined, { signal: options.signal });
        }
      }
    },
  };
}

function exhausted(error: LLMError, attempts: number): LLMError {
  const tried = attempts === 1 ? 'tried once' : `tried ${attempts} times`;
  return new LLMError(error.code, `${error.message} (${tried})`, {
    retryable: true,
    remedy: error.remedy,
    status: error.status,
    retryAfterMs: error.retryAfterMs,
    cause: error,
  });
}

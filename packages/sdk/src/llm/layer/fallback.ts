import { LLMError, type LLMErrorCode } from '../errors.ts';
import type { LLM } from '../llm.ts';

/** Errors that another model may not have, whether or not this one is worth another attempt. */
const UNAVAILABLE: ReadonlySet<LLMErrorCode> = new Set([
  'LLMRateLimitError',
  'LLMServiceUnavailableError',
  'LLMTimeoutError',
  'LLMNoResponseError',
]);

/**
 * Asks the other models in order when the first is unavailable after all of its attempts. Errors that are the request's (a wrong
 * key, a prompt that is too long) are thrown at once. If all fail, the first model's error is thrown.
 */
export function withFallback(first: LLM, others: readonly LLM[]): LLM {
  return {
    ...first,
    pricing: async () => dearest(await Promise.all([first, ...others].map((llm) => llm.pricing?.() ?? null))),
    complete: async (prompt, options) => {
      try {
        return await first.complete(prompt, options);
      } catch (error) {
        if (!(error instanceof LLMError) || !UNAVAILABLE.has(error.code)) throw error;
        for (const llm of others) {
          options.onNote?.(`${first.model.name} cannot be reached (${error.code}): asking ${llm.model.name}`);
          try {
            return { ...(await llm.complete(prompt, options)), model: llm.model.name };
          } catch (failure) {
            if (!(failure instanceof LLMError)) throw failure;
          }
        }
        throw error;
      }
    },
  };
}

/** The highest cost of a call among several models; null if one of them has no price. */
export function dearest(pricings: readonly (Awaited<ReturnType<NonNullable<LLM['pricing']>>> | null)[]) {
  if (pricings.some((pricing) => pricing === null)) return null;
  return (usage: Parameters<NonNullable<(typeof pricings)[number]>>[0]) => {
    const costs = pricings.map((pricing) => pricing?.(usage) ?? null);
    return costs.some((cost) => cost === null) ? null : Math.max(...(costs as number[]));
  };
}

import { LLMError } from '../errors.ts';
import type { LLM } from '../llm.ts';

/**
 * Asks others, in order, when the first could not be reached after all its attempts. What the model itself is at fault for
 * (a wrong key, a prompt that is too long) is not helped by asking another. All fail: the first one's error.
 */
export function withFallback(first: LLM, others: readonly LLM[]): LLM {
  return {
    ...first,
    pricing: async () => dearest(await Promise.all([first, ...others].map((llm) => llm.pricing?.() ?? null))),
    complete: async (prompt, options) => {
      try {
        return await first.complete(prompt, options);
      } catch (error) {
        if (!(error instanceof LLMError) || !error.retryable) throw error;
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

/** Of several that may be asked, what a call costs at most; null if one of them has no price. */
export function dearest(pricings: readonly (Awaited<ReturnType<NonNullable<LLM['pricing']>>> | null)[]) {
  if (pricings.some((pricing) => pricing === null)) return null;
  return (usage: Parameters<NonNullable<(typeof pricings)[number]>>[0]) => {
    const costs = pricings.map((pricing) => pricing?.(usage) ?? null);
    return costs.some((cost) => cost === null) ? null : Math.max(...(costs as number[]));
  };
}

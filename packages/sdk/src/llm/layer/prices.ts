import { type CatalogueEntry, lookUp, ownPricing } from '../catalogue/catalogue.ts';
import type { ResolvedModel } from '../catalogue/model-name.ts';
import type { LlmConfig } from '../config/llm-config.ts';
import type { LLM } from '../llm.ts';

/**
 * Sets the cost of each call: by the user's own prices, or else as the endpoint reports it, or else by the catalogue, or else null. The
 * catalogue loads while the first answer is awaited. Models on this machine have no price, so none is looked up.
 */
export function withPrices(llm: LLM, config: LlmConfig, resolved: ResolvedModel): LLM {
  const own = ownPricing(config);
  const isFree = resolved.dialect === 'scripted' || isLoopback(resolved.baseUrl);
  let known: Promise<CatalogueEntry | null> | undefined;
  const entry = () => {
    known ??= isFree ? Promise.resolve(null) : lookUp(resolved);
    return known;
  };
  const pricing = async () => own ?? (await entry())?.pricing ?? null;
  const contextWindow = async () => config.limits?.maxInputTokens ?? (await entry())?.contextWindow;
  if (own === null && isFree) return { ...llm, pricing: llm.pricing ?? pricing, contextWindow };
  return {
    ...llm,
    pricing,
    contextWindow,
    complete: async (prompt, options) => {
      const answer = llm.complete(prompt, options);
      const [price] = await Promise.all([pricing(), answer]);
      const completion = await answer;
      return {
        ...completion,
        costUsd: (own === null ? completion.costUsd : null) ?? price?.(completion.usage) ?? null,
      };
    },
  };
}

function isLoopback(baseUrl: string | undefined): boolean {
  if (baseUrl === undefined || !URL.canParse(baseUrl)) return false;
  return /^(127\.|localhost$|\[::1\]$|0\.0\.0\.0$)/.test(new URL(baseUrl).hostname);
}

import type { Completion, LLM, LlmConfig, Usage } from './llm.ts';
import type { ResolvedModel } from './model-name.ts';

/**
 * Says what each call cost: by the user's own prices, else by the price table of `@pydantic/genai-prices`, else null. The
 * table is loaded while the first answer is awaited; a model on this machine has no price, so for it none is looked up.
 */
export function withPrices(llm: LLM, config: LlmConfig, resolved: ResolvedModel): LLM {
  const own = ownPrice(config);
  if (own === null && (resolved.dialect === 'scripted' || isLoopback(resolved.baseUrl))) return llm;
  return {
    model: llm.model,
    usageId: llm.usageId,
    complete: async (prompt, options) => {
      const answer = llm.complete(prompt, options);
      const price = own ?? (await Promise.all([tablePrice(resolved), answer]))[0];
      const completion = await answer;
      return { ...completion, costUsd: price(completion.usage) } satisfies Completion;
    },
  };
}

type Price = (usage: Usage) => number | null;

function ownPrice({ inputCostPerToken: input, outputCostPerToken: output }: LlmConfig): Price | null {
  if (input === undefined && output === undefined) return null;
  return (usage) => usage.promptTokens * (input ?? 0) + usage.completionTokens * (output ?? 0);
}

async function tablePrice(resolved: ResolvedModel): Promise<Price> {
  const { calcPrice } = await import('@pydantic/genai-prices');
  return (usage) => {
    try {
      const result = calcPrice(
        {
          input_tokens: usage.promptTokens,
          output_tokens: usage.completionTokens,
          cache_read_tokens: usage.cacheReadTokens,
          cache_write_tokens: usage.cacheWriteTokens,
        },
        resolved.id,
        resolved.baseUrl === undefined
          ? { providerId: resolved.provider }
          : { providerApiUrl: resolved.baseUrl },
      );
      return result?.total_price ?? null;
    } catch {
      return null; // counts that do not add up: the price is not known
    }
  };
}

function isLoopback(baseUrl: string | undefined): boolean {
  if (baseUrl === undefined || !URL.canParse(baseUrl)) return false;
  return /^(127\.|localhost$|\[::1\]$|0\.0\.0\.0$)/.test(new URL(baseUrl).hostname);
}

/** Limits and prices, from the table of `@pydantic/genai-prices`; what it lacks is unknown. */
import { ownValue } from '../../value/own-value.ts';
import type { LlmConfig } from '../config/llm-config.ts';
import type { Pricing, Usage } from '../llm.ts';
import type { ResolvedModel } from './model-name.ts';
import { PROVIDERS } from './providers.ts';

export interface CatalogueEntry {
  /** The table's own name for the model. */
  readonly id: string;
  readonly contextWindow: number | undefined;
  /** USD per million tokens, without tiers. */
  readonly usdPerMillion: { readonly [what: string]: number };
  readonly pricing: Pricing;
}

/** Null if the table lacks the model. The first call loads the table, which takes about 30 ms. */
export async function lookUp(resolved: ResolvedModel): Promise<CatalogueEntry | null> {
  const { calcPrice } = await import('@pydantic/genai-prices');
  const price = (usage: Usage) => calcPrice(tokensOf(usage), tableName(resolved), tableProvider(resolved));
  try {
    const found = price({
      promptTokens: 1,
      completionTokens: 1,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: 0,
    });
    if (found === null) return null;
    return {
      id: found.model.id,
      contextWindow: found.model.context_window,
      usdPerMillion: basePrices(found.model_price),
      pricing: (usage) => {
        try {
          return price(usage)?.total_price ?? null;
        } catch {
          return null; // the counts are inconsistent: the cost is unknown
        }
      },
    };
  } catch {
    return null;
  }
}

/** The user's own prices; null if none are configured. Cached tokens cost as much as others. */
export function ownPricing({ prices }: Pick<LlmConfig, 'prices'>): Pricing | null {
  const { inputUsdPerToken: input, outputUsdPerToken: output } = prices ?? {};
  if (input === undefined && output === undefined) return null;
  return (usage) => usage.promptTokens * (input ?? 0) + usage.completionTokens * (output ?? 0);
}

function tokensOf(usage: Usage) {
  return {
    input_tokens: usage.promptTokens,
    output_tokens: usage.completionTokens,
    cache_read_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheWriteTokens,
  };
}

/** For compatible endpoints the address decides, not the name: an endpoint elsewhere has its own prices. */
function tableProvider({ provider, dialect, baseUrl }: ResolvedModel) {
  if (baseUrl !== undefined && dialect === 'compatible') return { providerApiUrl: baseUrl };
  return { providerId: ownValue(PROVIDERS, provider)?.pricedAs ?? provider };
}

/** Bedrock's names contain region and version; the table knows them. */
function tableName({ id }: ResolvedModel): string {
  return id.replace(/^converse\//, '');
}

function basePrices(price: { readonly [key: string]: unknown }): { readonly [what: string]: number } {
  const entries = Object.entries(price).flatMap(([key, value]): [string, number][] => {
    if (!key.endsWith('_mtok')) return [];
    const base = typeof value === 'object' && value !== null ? (value as { base?: unknown }).base : value;
    return typeof base === 'number' ? [[key.slice(0, -'_mtok'.length), base]] : [];
  });
  return Object.fromEntries(entries);
}

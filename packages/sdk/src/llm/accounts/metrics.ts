/** Accounts by purpose, in the JSON shapes of the reference (SDK 1.43, `Metrics`). */
import { defined } from '../../value/defined.ts';
import type { Completion, LLM } from '../llm.ts';

export interface TokenUsage {
  readonly model: string;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly reasoning_tokens: number;
  readonly context_window: number;
  /** Prompt and completion of the last call. */
  readonly per_turn_token: number;
  readonly response_id: string;
}

export interface Metrics {
  readonly model_name: string;
  /** USD; calls without a known price are not included. */
  readonly accumulated_cost: number;
  /** How many calls that is; absent if every price was known. Not in the reference, which drops it. */
  readonly unpriced_calls?: number;
  readonly accumulated_token_usage: TokenUsage;
  /** Single calls, in parallel lists. A stored state holds those since the previous state, so that it does not grow forever. */
  readonly costs?: readonly { readonly model: string; readonly cost: number; readonly timestamp: number }[];
  readonly response_latencies?: readonly {
    readonly model: string;
    readonly latency: number;
    readonly response_id: string;
  }[];
  readonly token_usages?: readonly TokenUsage[];
}

/** What models have used and cost, by usage id; the wire form of the reference. */
export interface Stats {
  readonly usage_to_metrics: { readonly [usageId: string]: Metrics };
}

export const emptyStats: Stats = { usage_to_metrics: {} };

export function isStats(value: unknown): value is Stats {
  const metrics = (value as Partial<Stats> | null)?.usage_to_metrics;
  return (
    typeof metrics === 'object' &&
    metrics !== null &&
    Object.values(metrics).every(
      (each) =>
        typeof each?.accumulated_cost === 'number' && typeof each.accumulated_token_usage === 'object',
    )
  );
}

/** The totals, without the single calls. */
export function sumsOf({ usage_to_metrics: all }: Stats): Stats {
  const entries = Object.entries(all).map(
    ([usageId, { model_name, accumulated_cost, accumulated_token_usage, unpriced_calls }]) => [
      usageId,
      {
        ...{ model_name, accumulated_cost, accumulated_token_usage },
        ...defined({ unpriced_calls }),
      } satisfies Metrics,
    ],
  );
  return { usage_to_metrics: Object.fromEntries(entries) };
}

/** Sums with the counts of unpriced calls of other sums of the same calls: the reference drops them. */
export function withUnpriced({ usage_to_metrics: all }: Stats, { usage_to_metrics: others }: Stats): Stats {
  const entries = Object.entries(all).map(([usageId, each]) => {
    const { unpriced_calls } = others[usageId] ?? {};
    return [usageId, { ...defined({ unpriced_calls }), ...each }];
  });
  return { usage_to_metrics: Object.fromEntries(entries) };
}

export function addCompletion(
  stats: Stats,
  llm: Pick<LLM, 'model' | 'usageId'>,
  completion: Completion,
): Stats {
  const before = stats.usage_to_metrics[llm.usageId];
  const call = usageOfCall(llm, completion);
  const sum = before?.accumulated_token_usage;
  const unpriced = (before?.unpriced_calls ?? 0) + (completion.costUsd === null ? 1 : 0);
  const metrics: Metrics = {
    model_name: llm.model.name,
    accumulated_cost: (before?.accumulated_cost ?? 0) + (completion.costUsd ?? 0),
    ...(unpriced === 0 ? {} : { unpriced_calls: unpriced }),
    accumulated_token_usage: {
      model: llm.model.name,
      prompt_tokens: (sum?.prompt_tokens ?? 0) + call.prompt_tokens,
      completion_tokens: (sum?.completion_tokens ?? 0) + call.completion_tokens,
      cache_read_tokens: (sum?.cache_read_tokens ?? 0) + call.cache_read_tokens,
      cache_write_tokens: (sum?.cache_write_tokens ?? 0) + call.cache_write_tokens,
      reasoning_tokens: (sum?.reasoning_tokens ?? 0) + call.reasoning_tokens,
      context_window: Math.max(sum?.context_window ?? 0, call.context_window),
      per_turn_token: call.per_turn_token,
      response_id: '',
    },
  };
  return { usage_to_metrics: { ...stats.usage_to_metrics, [llm.usageId]: metrics } };
}

/** Tokens of one call, under the name of the model that answered. */
export function usageOfCall(llm: Pick<LLM, 'model'>, { usage, model, id }: Completion): TokenUsage {
  return {
    model: model ?? llm.model.name,
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    cache_read_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    reasoning_tokens: usage.reasoningTokens,
    context_window: llm.model.contextWindow ?? 0,
    per_turn_token: usage.promptTokens + usage.completionTokens,
    response_id: id,
  };
}

export function totalCostUsd(stats: Stats): number {
  return Object.values(stats.usage_to_metrics).reduce((sum, metrics) => sum + metrics.accumulated_cost, 0);
}

/** Calls that are not in `totalCostUsd`, because their price is unknown. */
export function unpricedCalls(stats: Stats): number {
  return Object.values(stats.usage_to_metrics).reduce((sum, each) => sum + (each.unpriced_calls ?? 0), 0);
}

export function totalTokens(stats: Stats): { readonly prompt: number; readonly completion: number } {
  const usages = Object.values(stats.usage_to_metrics).map((metrics) => metrics.accumulated_token_usage);
  return {
    prompt: usages.reduce((sum, usage) => sum + usage.prompt_tokens, 0),
    completion: usages.reduce((sum, usage) => sum + usage.completion_tokens, 0),
  };
}

/** Input and output tokens together. */
export function allTokens(stats: Stats): number {
  const { prompt, completion } = totalTokens(stats);
  return prompt + completion;
}

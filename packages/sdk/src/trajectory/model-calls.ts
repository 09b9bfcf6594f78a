import type { Stats, TokenUsage } from '../llm/accounts/metrics.ts';

/** One call to a model, from the accounts. */
export interface ModelCall {
  readonly usageId: string;
  readonly responseId: string;
  readonly model: string;
  /** Undefined if the provider reported none. */
  readonly usage: TokenUsage | undefined;
  /** Null if unknown. */
  readonly costUsd: number | null;
  readonly seconds: number | null;
}

/** In the order of the accounts. Costs are a separate list, which omits free calls and unknown prices. */
export function* modelCalls(accounts: Iterable<Stats>): Iterable<ModelCall> {
  for (const { usage_to_metrics: all } of accounts) {
    for (const [usageId, metrics] of Object.entries(all)) {
      const { token_usages: usages = [], costs = [], response_latencies: latencies = [] } = metrics;
      for (const [i, usage] of usages.entries()) {
        const { model, response_id: responseId } = usage;
        const seconds = latencies.find(({ response_id }) => response_id === responseId)?.latency ?? null;
        const costUsd = costs.length === usages.length ? (costs[i]?.cost ?? null) : null;
        yield { usageId, responseId, model, usage, costUsd, seconds };
      }
      const told = new Set(usages.map(({ response_id }) => response_id));
      for (const { model, latency: seconds, response_id: responseId } of latencies) {
        if (!told.has(responseId))
          yield { usageId, responseId, model, usage: undefined, costUsd: null, seconds };
      }
    }
  }
}

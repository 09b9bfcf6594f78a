import type { Event } from '../event/kinds.ts';
import { isStats, type TokenUsage } from '../llm/metrics.ts';

/** One call of a model, as the accounts in the log have it. */
export interface ModelCall {
  readonly usageId: string;
  readonly responseId: string;
  readonly model: string;
  /** Undefined if the provider told none. */
  readonly usage: TokenUsage | undefined;
  /** Null if nobody knows. */
  readonly costUsd: number | null;
  readonly seconds: number | null;
}

/** In the order of the log. Costs stand in a list of their own, which leaves out what cost nothing or nobody knows. */
export function* modelCalls(events: Iterable<Event>): Iterable<ModelCall> {
  for (const event of events) {
    if (event.kind !== 'ConversationStateUpdateEvent' || event.key !== 'stats' || !isStats(event.value))
      continue;
    for (const [usageId, metrics] of Object.entries(event.value.usage_to_metrics)) {
      const { token_usages: usages = [], costs = [], response_latencies: latencies = [] } = metrics;
      const ids = new Set([...latencies, ...usages].map(({ response_id }) => response_id));
      for (const responseId of ids) {
        const latency = latencies.find(({ response_id }) => response_id === responseId);
        const at = usages.findIndex(({ response_id }) => response_id === responseId);
        const usage = usages[at];
        yield {
          usageId,
          responseId,
          model: usage?.model ?? latency?.model ?? metrics.model_name,
          usage,
          costUsd: usage !== undefined && costs.length === usages.length ? (costs[at]?.cost ?? null) : null,
          seconds: latency?.latency ?? null,
        };
      }
    }
  }
}

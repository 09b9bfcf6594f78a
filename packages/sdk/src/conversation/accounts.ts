import type { Event } from '../event/kinds.ts';
import { isStats, type Metrics, type Stats, totalTokens } from '../llm/metrics.ts';

/** The accounts in a log, in its order: each has the sums so far, and the single calls since the one before it. */
export function accountsIn(events: Iterable<Event>): Stats[] {
  const found: Stats[] = [];
  for (const event of events) {
    if (event.kind === 'ConversationStateUpdateEvent' && event.key === 'stats' && isStats(event.value))
      found.push(event.value);
  }
  return found;
}

/**
 * The same with what `base_state.json` has besides: the reference keeps its accounts there only. Single calls stand in both
 * when it has gone on with a log of ours.
 */
export function withStored(accounts: readonly Stats[], stored: Stats | undefined): readonly Stats[] {
  if (stored === undefined) return accounts;
  const known = new Set(accounts.flatMap(callIds));
  const entries = Object.entries(stored.usage_to_metrics).map(([id, each]) => [id, without(each, known)]);
  const rest: Stats = { usage_to_metrics: Object.fromEntries(entries) };
  const last = accounts.at(-1);
  if (last === undefined || isAhead(stored, last)) return [...accounts, rest];
  return callIds(rest).length === 0 ? accounts : [rest, ...accounts];
}

/** Sums only grow: the greater are the later. */
export function isAhead(stats: Stats, of: Stats): boolean {
  const [ours, theirs] = [stats, of].map(totalTokens).map(({ prompt, completion }) => prompt + completion);
  return (ours ?? 0) > (theirs ?? 0);
}

function callIds({ usage_to_metrics: all }: Stats): string[] {
  return Object.values(all).flatMap(({ token_usages: usages = [], response_latencies: latencies = [] }) =>
    [...usages, ...latencies].map(({ response_id }) => response_id),
  );
}

function without(metrics: Metrics, known: ReadonlySet<string>): Metrics {
  const { token_usages: usages = [], costs = [], response_latencies: latencies = [] } = metrics;
  const isNew = ({ response_id }: { readonly response_id: string }) => !known.has(response_id);
  const isPaired = costs.length === usages.length;
  return {
    ...metrics,
    token_usages: usages.filter(isNew),
    costs: isPaired ? costs.filter((_, i) => !known.has(usages[i]?.response_id ?? '')) : [],
    response_latencies: latencies.filter(isNew),
  };
}

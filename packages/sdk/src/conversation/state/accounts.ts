import type { Event } from '../../event/kinds.ts';
import { allTokens, isStats, type Metrics, type Stats } from '../../llm/accounts/metrics.ts';

/** The accounts in a log, in order: each has the totals so far, and the calls since the previous one. */
export function accountsIn(events: Iterable<Event>): Stats[] {
  const found: Stats[] = [];
  for (const event of events) {
    if (event.kind === 'ConversationStateUpdateEvent' && event.key === 'stats' && isStats(event.value))
      found.push(event.value);
  }
  return found;
}

/**
 * Adds what only `base_state.json` has, where the reference keeps its accounts. Calls are in both when the reference has continued a log of
 * ours.
 */
export function withStored(accounts: readonly Stats[], stored: Stats | undefined): readonly Stats[] {
  const rest = untold(accounts, stored);
  if (rest === undefined) return accounts;
  return isAhead(rest, accounts.at(-1)) ? [...accounts, rest] : [rest, ...accounts];
}

/** What only `base_state.json` has: its totals if they are later, and calls that are in no other accounts. */
export function untold(accounts: readonly Stats[], stored: Stats | undefined): Stats | undefined {
  if (stored === undefined) return undefined;
  const known = new Set(accounts.flatMap(callIds));
  const entries = Object.entries(stored.usage_to_metrics).map(([id, each]) => [id, without(each, known)]);
  const rest: Stats = { usage_to_metrics: Object.fromEntries(entries) };
  return isAhead(stored, accounts.at(-1)) || callIds(rest).length > 0 ? rest : undefined;
}

/** Totals only grow: the greater ones are later. */
export function isAhead(stats: Stats, of: Stats | undefined): boolean {
  return of === undefined || allTokens(stats) > allTokens(of);
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

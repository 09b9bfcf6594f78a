import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countingClock, wordsDraft } from '../../../test-support/random-history.ts';
import { type Draft, eventOf } from '../../event/draft.ts';
import type { Event } from '../../event/kinds.ts';
import type { Metrics, Stats, TokenUsage } from '../../llm/accounts/metrics.ts';
import { accountsIn, isAhead, untold, withStored } from './accounts.ts';
import { stateUpdate } from './state.ts';

const usageOf = (response_id: string, tokens: number): TokenUsage => ({
  model: 'm',
  prompt_tokens: tokens,
  completion_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  context_window: 0,
  per_turn_token: tokens,
  response_id,
});

const latencyOf = (response_id: string) => ({ model: 'm', latency: 1, response_id });
const costOf = (timestamp: number) => ({ model: 'm', cost: 1, timestamp });

/** Accounts with this total, and these single calls; the cost of call `3` is that with the time 3. */
function stats(total: number, calls: readonly number[], more: Partial<Metrics> = {}): Stats {
  const metrics: Metrics = {
    model_name: 'm',
    accumulated_cost: total,
    accumulated_token_usage: usageOf('', total),
    costs: calls.map(costOf),
    response_latencies: calls.map((id) => latencyOf(`${id}`)),
    token_usages: calls.map((id) => usageOf(`${id}`, 1)),
    ...more,
  };
  return { usage_to_metrics: { agent: metrics } };
}

/** The totals of accounts, and their single calls. */
const shown = (all: readonly Stats[]) =>
  all.map(({ usage_to_metrics: { agent } }) => ({
    total: agent?.accumulated_cost,
    usages: agent?.token_usages?.map(({ response_id }) => Number(response_id)),
    latencies: agent?.response_latencies?.map(({ response_id }) => Number(response_id)),
    costs: agent?.costs?.map(({ timestamp }) => timestamp),
  }));

const single = (total: number, calls: readonly number[]) => ({
  total,
  usages: calls,
  latencies: calls,
  costs: calls,
});

test('accounts are the valid values of the key "stats", in the order of the log', () => {
  const drafts: readonly Draft[] = [
    wordsDraft('user', 'go'),
    stateUpdate('stats', stats(1, [1])),
    stateUpdate('stats', 'many'),
    stateUpdate('other', stats(9, [9])),
    { ...wordsDraft('user', 'x'), key: 'stats', value: stats(9, [9]) } as Draft,
    stateUpdate('stats', stats(2, [2])),
  ];
  const events: readonly Event[] = drafts.map((draft) => eventOf(draft, null, countingClock()));
  assert.deepEqual(accountsIn(events), [stats(1, [1]), stats(2, [2])]);
});

const LOG = [stats(1, [1]), stats(5, [2, 3]), stats(9, [4])];

test('accounts that are stored besides the log add what the log lacks, in the order of their totals', () => {
  const cases: readonly (readonly [string, readonly Stats[], Stats | undefined, readonly unknown[]])[] = [
    ['nothing is stored', LOG, undefined, shown(LOG)],
    ['nothing is in the log', [], stats(1, [1]), [single(1, [1])]],
    ['all of it is in the log', LOG, stats(9, [1, 2, 3, 4]), shown(LOG)],
    ['less than the log has', LOG, stats(7, [1, 2, 3]), shown(LOG)],
    ['a later total with known calls', LOG, stats(10, [3, 4]), [...shown(LOG), single(10, [])]],
    ['a later total with new calls', LOG, stats(10, [4, 5]), [...shown(LOG), single(10, [5])]],
    ['an earlier total with new calls', LOG, stats(9, [0, 4]), [single(9, [0]), ...shown(LOG)]],
  ];
  for (const [about, log, stored, expected] of cases)
    assert.deepEqual(shown(withStored(log, stored)), expected, about);
});

test('a call counts as new if only its latency is', () => {
  const stored = stats(9, [4], { response_latencies: [latencyOf('4'), latencyOf('7')] });
  assert.deepEqual(shown([untold(LOG, stored) ?? stats(0, [])]), [
    { total: 9, usages: [], latencies: [7], costs: [] },
  ]);
  const known = [stats(9, [], { response_latencies: [latencyOf('7')] })];
  assert.equal(untold(known, stats(9, [7])), undefined);
});

test('costs that cannot be told apart by calls are left out, and lists that are missing are empty', () => {
  const unpaired = stats(10, [4, 5], { costs: [costOf(5)] });
  assert.deepEqual(shown([untold(LOG, unpaired) ?? stats(0, [])]), [{ ...single(10, [5]), costs: [] }]);
  const { model_name, accumulated_cost, accumulated_token_usage } = stats(10, []).usage_to_metrics[
    'agent'
  ] as Metrics;
  const bare: Stats = {
    usage_to_metrics: { agent: { model_name, accumulated_cost, accumulated_token_usage } },
  };
  assert.deepEqual(untold(LOG, bare), stats(10, []));
  assert.equal(untold([bare], bare), undefined);
});

test('accounts are ahead of those with fewer tokens, and of none', () => {
  assert.deepEqual(
    [
      isAhead(stats(2, []), stats(1, [])),
      isAhead(stats(2, []), stats(2, [])),
      isAhead(stats(0, []), undefined),
    ],
    [true, false, true],
  );
});

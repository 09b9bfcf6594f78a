import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countingClock, wordsDraft } from '../../../test-support/random-history.ts';
import { message } from '../../agent/message.ts';
import { type Draft, eventOf } from '../../event/draft.ts';
import { ROOT } from '../../event/identity.ts';
import { agentUpdate, evolve, INITIAL_STATE, type State, stateUpdate, statusUpdate } from './state.ts';
import { STATUSES } from './status.ts';

/** The state after these drafts, whose ids are `e0`, `e1`, ... */
function after(...drafts: readonly Draft[]): State {
  return drafts.reduce(
    (state, draft, i) => evolve(state, { ...eventOf(draft, null, countingClock()), id: `e${i}` }),
    INITIAL_STATE,
  );
}

test('each event of the branch moves HEAD, bookkeeping does not', () => {
  assert.equal(after().leafId, null);
  assert.equal(after(wordsDraft('agent', 'a'), wordsDraft('environment', 'b')).leafId, 'e1');
  assert.equal(after(wordsDraft('user', 'a'), statusUpdate('running')).leafId, 'e0');
});

test('only messages of the user count as the last one, and only their skills as given', () => {
  const state = after(
    message('user', 'one', { names: ['a'] }),
    message('user', 'two', { names: ['b'] }),
    message('user', 'three'),
    message('environment', 'four', { names: ['c'] }),
    wordsDraft('agent', 'five'),
  );
  assert.deepEqual([state.lastUserMessageId, state.activatedSkills, state.leafId], ['e2', ['a', 'b'], 'e4']);
});

test('HEAD is moved by its own key, to an event or before the first', () => {
  const words = wordsDraft('user', 'a');
  assert.equal(after(words, words, stateUpdate('leaf_event_id', 'e0')).leafId, 'e0');
  assert.equal(after(words, stateUpdate('leaf_event_id', ROOT)).leafId, null);
  assert.equal(after(words, stateUpdate('leaf_event_id', 7)).leafId, 'e0');
});

test('path rules are replaced as a whole', () => {
  const state = after(
    stateUpdate('activated_path_rules', ['a']),
    stateUpdate('activated_path_rules', ['a', 7]),
    stateUpdate('activated_path_rules', 'b'),
  );
  assert.deepEqual(state.activatedPathRules, ['a', '7']);
});

const metrics = {
  model_name: 'm',
  accumulated_cost: 2,
  accumulated_token_usage: {
    model: 'm',
    prompt_tokens: 1,
    completion_tokens: 1,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
    context_window: 0,
    per_turn_token: 2,
    response_id: '',
  },
  costs: [],
  response_latencies: [],
  token_usages: [],
};
const stats = { usage_to_metrics: { agent: metrics } };
const costOf = ({ stats: { usage_to_metrics: all } }: State) => all['agent']?.accumulated_cost;

test('status and accounts are taken from their keys, and from a server’s snapshot', () => {
  const single = after(statusUpdate('paused'), stateUpdate('stats', stats));
  assert.deepEqual([single.status, costOf(single)], ['paused', 2]);
  const snapshot = after(stateUpdate('full_state', { execution_status: 'stuck', stats, other: 1 }));
  assert.deepEqual([snapshot.status, costOf(snapshot)], ['stuck', 2]);
  assert.equal('other' in snapshot, false);
});

test('invalid values change nothing', () => {
  for (const [key, value] of [
    ['execution_status', 'unheard-of'],
    ['stats', 'many'],
    ['full_state', null],
    ['full_state', 'all'],
    ['full_state', { execution_status: 7, stats: 7 }],
    ['something_else', 'running'],
  ] as const)
    assert.deepEqual(after(stateUpdate(key, value)), INITIAL_STATE, key);
});

test('the agent is the one that the tags name', () => {
  const named = stateUpdate('tags', { agent: 'Coder', other: 'x' });
  assert.equal(after(named).agentName, 'Coder');
  for (const value of [{ agent: 7 }, { other: 'x' }, 'Coder', null, ['Coder']])
    assert.equal(after(named, stateUpdate('tags', value)).agentName, 'Coder');
});

test('the log says which agent it is when that is not known yet', () => {
  const updates = [undefined, 'Coder', 'Tester'].map((name) =>
    agentUpdate({ ...INITIAL_STATE, agentName: 'Coder' }, name),
  );
  const tester: Draft = {
    source: 'environment',
    key: 'tags',
    value: { agent: 'Tester' },
    kind: 'ConversationStateUpdateEvent',
  };
  assert.deepEqual(updates, [[], [], [tester]]);
});

test('a conversation begins idle and empty, and a snapshot may have only one of the known parts', () => {
  const start = {
    status: 'idle',
    stats: { usage_to_metrics: {} },
    agentName: null,
    leafId: null,
    lastUserMessageId: null,
    activatedSkills: [],
    activatedPathRules: [],
  };
  assert.deepEqual(after(), start);
  assert.deepEqual(after(stateUpdate('full_state', { execution_status: 'paused' })), {
    ...start,
    status: 'paused',
  });
  const sums = after(stateUpdate('full_state', { stats }));
  assert.deepEqual([sums.status, costOf(sums)], ['idle', 2]);
});

test('the status of an update is one of the known ones, and each of them is taken', () => {
  for (const status of STATUSES) assert.equal(after(statusUpdate(status)).status, status);
  assert.deepEqual(statusUpdate('stuck'), {
    source: 'environment',
    key: 'execution_status',
    value: 'stuck',
    kind: 'ConversationStateUpdateEvent',
  });
});

test('the accounts of the state are totals, without single calls', () => {
  const [of] = Object.values(after(stateUpdate('stats', stats)).stats.usage_to_metrics);
  assert.deepEqual(Object.keys(of ?? {}), ['model_name', 'accumulated_cost', 'accumulated_token_usage']);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INITIAL_STATE } from '../state/state.ts';
import { type BaseState, parseBaseState, serializeBaseState } from './base-state.ts';

const BUILT_IN = ['finish', 'think'].map((name) => ({ name, params: {} }));

const ours: BaseState = {
  id: '11111111-2222-3333-4444-555555555555',
  agent: {
    llm: { model: 'openai/x', usageId: 'agent', endpoint: { baseUrl: 'http://127.0.0.1:1/v1' } },
    tools: [{ name: 'terminal', params: {} }, ...BUILT_IN],
  },
  workingDir: '/w',
  directory: '/c',
  maxIterations: 500,
  stuckDetection: true,
  confirmation: { kind: 'NeverConfirm' },
  tags: { parent: 'p' },
  state: { ...INITIAL_STATE, status: 'paused', leafId: 'aaaaaaaa' },
};

const read = (json: object) =>
  parseBaseState(JSON.stringify({ ...JSON.parse(serializeBaseState(ours)), ...json }));

test('of a stored agent what this program lacks stays, but nothing of an imported one', () => {
  const theirs = { ...JSON.parse(serializeBaseState(ours)).agent, theirs: 1 };
  const agentAfter = (before: object) =>
    JSON.parse(serializeBaseState({ ...ours, before: read(before) })).agent;
  assert.equal(agentAfter({ agent: theirs }).theirs, 1);
  const imported = { agent: theirs, agent_state: { longhand: { imported: true } } };
  assert.deepEqual(agentAfter(imported), JSON.parse(serializeBaseState(ours)).agent);
  const damaged = { ...read({}), json: { ...read({}).json, agent: 'damaged' } };
  assert.deepEqual(
    JSON.parse(serializeBaseState({ ...ours, before: damaged })).agent,
    JSON.parse(serializeBaseState(ours)).agent,
  );
});

test('HEAD before the first event is written and read', () => {
  const state = { ...ours.state, leafId: null };
  const source = serializeBaseState({ ...ours, state, isHeadEmpty: true });
  const { leafId, isHeadEmpty } = parseBaseState(source);
  assert.deepEqual([leafId, isHeadEmpty], [undefined, true]);
  assert.equal(read({ head_is_empty: 'yes' }).isHeadEmpty, false);
});

test('the file says who wrote it last, and what the state was', () => {
  const state = {
    ...ours.state,
    activatedSkills: ['a'],
    activatedPathRules: ['b'],
    lastUserMessageId: 'cccccccc',
    stats: { usage_to_metrics: { agent: { model_name: 'm' } } } as never,
  };
  const { agent: _, ...json } = JSON.parse(serializeBaseState({ ...ours, state }));
  assert.deepEqual(json, {
    id: ours.id,
    workspace: { working_dir: '/w', kind: 'LocalWorkspace' },
    persistence_dir: '/c',
    max_iterations: 500,
    stuck_detection: true,
    execution_status: 'paused',
    confirmation_policy: { kind: 'NeverConfirm' },
    activated_knowledge_skills: ['a'],
    activated_path_rules: ['b'],
    invoked_skills: [],
    blocked_actions: {},
    blocked_messages: {},
    last_user_message_id: 'cccccccc',
    leaf_event_id: 'aaaaaaaa',
    head_is_empty: false,
    stats: { usage_to_metrics: { agent: { model_name: 'm' } } },
    secret_registry: { secret_sources: {} },
    tags: { parent: 'p' },
    agent_state: {},
    written_by: 'longhand',
  });
  assert.deepEqual(
    [undefined, 'other', 'longhand'].map((written_by) => read({ written_by }).isOurs),
    [false, false, true],
  );
});

test('members that the reference lacks are stored beside the agent, and read from there', () => {
  const own = (more: Partial<BaseState>, agent: object = {}) =>
    JSON.parse(serializeBaseState({ ...ours, agent: { ...ours.agent!, ...agent }, ...more })).agent_state;
  const condenser = { type: 'recent', maxEvents: 20 };
  assert.deepEqual(
    [
      own({}, { condenser }),
      own({}, { llms: {} }),
      own({}, { llms: { vision: { model: 'v', endpoint: { apiKey: 'sk' } } } }),
      own({ isImported: true }),
      own({ isImported: true, agent: undefined }),
    ],
    [
      { longhand: { condenser } },
      { longhand: { llms: {} } },
      { longhand: { llms: { vision: { model: 'v', api_key: '**********' } } } },
      { longhand: { imported: true } },
      { longhand: { imported: true } },
    ],
  );
  const tools = [{ name: 'mine', params: {} }];
  assert.deepEqual(read({ agent_state: { longhand: { tools } } }).agent?.tools, [...tools, ...BUILT_IN]);
  assert.equal(read({ tags: { agent: 'named' } }).agent?.name, 'named');
  for (const agent_state of [null, {}, { longhand: { imported: 1 } }])
    assert.deepEqual(
      [read({ agent_state }).isImported, read({ agent_state }).agent],
      [false, read({}).agent],
    );
});

test('the model of a condenser is a model of its own only if it differs from the agent’s', () => {
  const { agent } = JSON.parse(serializeBaseState(ours));
  const llmsWith = (condenser: unknown) => read({ agent: { ...agent, condenser } }).agent?.llms;
  const llm = { ...agent.llm, usage_id: 'condenser' };
  assert.deepEqual(
    [
      llmsWith({ llm }),
      llmsWith({ llm: { ...llm, temperature: 1 } }),
      llmsWith({ llm: { model: 7 } }),
      llmsWith({ llm: 'x' }),
      llmsWith('x'),
    ],
    [
      undefined,
      {
        condenser: {
          model: 'openai/x',
          endpoint: { baseUrl: 'http://127.0.0.1:1/v1' },
          sampling: { temperature: 1 },
        },
      },
      undefined,
      undefined,
      undefined,
    ],
  );
});

test('totals of a model that only the log has are written beside those of another', () => {
  const stats = (of: object) => ({ usage_to_metrics: of }) as never;
  const state = { ...ours.state, stats: stats({ agent: { model_name: 'm' }, new: { model_name: 'n' } }) };
  const before = { ...read({}), stats: stats({ agent: { costs: [1] }, old: { model_name: 'o' } }) };
  assert.deepEqual(JSON.parse(serializeBaseState({ ...ours, state, before })).stats.usage_to_metrics, {
    agent: { model_name: 'm', costs: [1] },
    new: { model_name: 'n' },
  });
  assert.deepEqual(
    JSON.parse(serializeBaseState({ ...ours, state, before: { ...before, stats: undefined } })).stats,
    state.stats,
  );
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { INITIAL_STATE } from '../state/state.ts';
import { type BaseState, parseBaseState, serializeBaseState } from './base-state.ts';

const DEFAULT_TOOLS = ['terminal', 'file_editor', 'task_tracker', 'finish', 'think'].map((name) => ({
  name,
  params: {},
}));

const golden = join(import.meta.dirname, '../../event/fixtures/golden/base_state/v1_11_5_cli_default.json');

test('golden: a base_state.json of an older version of the reference is read', () => {
  const { id, agent, status } = parseBaseState(readFileSync(golden, 'utf8'));
  assert.deepEqual([id, status], ['11111111-2222-3333-4444-555555555555', 'idle']);
  const { model, usageId, retry, sampling, endpoint } = agent!.llm;
  assert.deepEqual(
    [model, usageId, retry?.maxWaitMs, sampling?.temperature, endpoint?.apiKey],
    ['gpt-4o-mini', 'test-llm', 64_000, 0, undefined],
  );
  assert.deepEqual(agent?.tools, DEFAULT_TOOLS);
});

const ours: BaseState = {
  id: '11111111-2222-3333-4444-555555555555',
  agent: {
    llm: {
      model: 'openai/x',
      usageId: 'agent',
      endpoint: { baseUrl: 'http://127.0.0.1:1/v1', apiKey: 'sk-secret' },
    },
    tools: DEFAULT_TOOLS,
  },
  workingDir: '/w',
  directory: '/c',
  maxIterations: 500,
  stuckDetection: true,
  confirmation: { kind: 'NeverConfirm' },
  tags: { parent: 'p' },
  state: { ...INITIAL_STATE, status: 'paused', leafId: 'aaaaaaaa' },
};

test('what was written is read back, except the key, which never reaches the disk', () => {
  const source = serializeBaseState(ours);
  assert.doesNotMatch(source, /sk-secret/);
  assert.deepEqual(parseBaseState(source), {
    id: ours.id,
    agent: {
      llm: { model: 'openai/x', usageId: 'agent', endpoint: { baseUrl: 'http://127.0.0.1:1/v1' } },
      tools: DEFAULT_TOOLS,
    },
    status: 'paused',
    workingDir: '/w',
    leafId: 'aaaaaaaa',
    isHeadEmpty: false,
    isOurs: true,
    maxIterations: 500,
    confirmation: { kind: 'NeverConfirm' },
    tags: { parent: 'p' },
    stats: ours.state.stats,
    json: JSON.parse(source),
    isImported: false,
  });
});

test('what another program keeps there stays, and what was ours is made anew', () => {
  const theirs = {
    ...JSON.parse(serializeBaseState({ ...ours, isImported: true })),
    secret_registry: { secret_sources: { TOKEN: { kind: 'StaticSecret', value: '**********' } } },
    invoked_skills: ['a'],
    hook_config: { stop: [] },
    agent_state: { theirs: 1, longhand: { imported: true } },
    leaf_event_id: 'older',
  };
  const again = JSON.parse(serializeBaseState({ ...ours, before: parseBaseState(JSON.stringify(theirs)) }));
  assert.deepEqual(again, {
    ...JSON.parse(serializeBaseState(ours)),
    secret_registry: theirs.secret_registry,
    invoked_skills: ['a'],
    hook_config: { stop: [] },
    agent_state: { theirs: 1 },
  });
});

test('the keys stand in the order of the reference, and nothing is null', () => {
  const written = Object.keys(JSON.parse(serializeBaseState(ours)));
  const reference = Object.keys(JSON.parse(readFileSync(golden, 'utf8')));
  assert.deepEqual(
    written.filter((key) => reference.includes(key)),
    reference,
  );
  assert.doesNotMatch(serializeBaseState(ours), /:null/);
});

test('an agent with every setting is read back as it was written', () => {
  const agent: NonNullable<BaseState['agent']> = {
    llm: { model: 'openai/x', usageId: 'agent' },
    llms: { condenser: { model: 'openai/small' } },
    tools: [
      { name: 'terminal', params: { shell: 'bash' } },
      { name: 'finish', params: {} },
    ],
    condenser: { type: 'recent', maxEvents: 20 },
    systemPrompt: 'Be brief.',
    context: {
      systemMessageSuffix: 'system',
      userMessageSuffix: 'user',
      loadUserSkills: true,
      loadProjectSkills: true,
      disabledSkills: ['lint'],
    },
    mcpConfig: { mcpServers: { s: { command: 'c', args: [] } } } as never,
    filterToolsRegex: '^s_',
  };
  const written = parseBaseState(serializeBaseState({ ...ours, agent, isImported: true }));
  assert.deepEqual(written.agent, agent);
  assert.equal(written.isImported, true);
});

test('defaults are not read back as settings', () => {
  const agent = { ...ours.agent!, context: {} };
  assert.deepEqual(parseBaseState(serializeBaseState({ ...ours, agent })).agent?.context, {});
  assert.equal('context' in parseBaseState(serializeBaseState(ours)).agent!, false);
  assert.deepEqual(
    Object.keys(parseBaseState(serializeBaseState({ ...ours, agent: undefined }))).includes('agent'),
    true,
  );
  assert.equal(parseBaseState(serializeBaseState({ ...ours, agent: undefined })).agent, undefined);
});

test('a model for a purpose is stored without its key', () => {
  const llms = { condenser: { model: 'openai/small', endpoint: { apiKey: 'sk-secret' } } };
  const source = serializeBaseState({ ...ours, agent: { ...ours.agent!, llms } });
  assert.doesNotMatch(source, /sk-secret/);
  assert.deepEqual(parseBaseState(source).agent?.llms, { condenser: { model: 'openai/small' } });
});

test('built-in tools are named by their class, except those with parameters', () => {
  const tools = [
    { name: 'think', params: {} },
    { name: 'finish', params: { strict: true } },
    { name: 'terminal', params: {} },
  ];
  const json = JSON.parse(serializeBaseState({ ...ours, agent: { ...ours.agent!, tools } }));
  assert.deepEqual(json.agent.include_default_tools, ['ThinkTool']);
  assert.deepEqual(
    json.agent.tools.map(({ name }: { name: string }) => name),
    ['finish', 'terminal'],
  );
});

test('what the reference had blocked stays blocked', () => {
  const theirs = {
    ...JSON.parse(serializeBaseState(ours)),
    blocked_actions: { a: 'why' },
    blocked_messages: { m: 'why' },
  };
  const again = JSON.parse(serializeBaseState({ ...ours, before: parseBaseState(JSON.stringify(theirs)) }));
  assert.deepEqual([again.blocked_actions, again.blocked_messages], [{ a: 'why' }, { m: 'why' }]);
  const fresh = JSON.parse(serializeBaseState(ours));
  assert.deepEqual(
    [fresh.blocked_actions, fresh.blocked_messages, fresh.invoked_skills, fresh.secret_registry],
    [{}, {}, [], { secret_sources: {} }],
  );
});

test('values of a wrong type are left out, except required ones', () => {
  const parsed = (more: object) =>
    parseBaseState(JSON.stringify({ ...JSON.parse(serializeBaseState(ours)), ...more }));
  const odd = parsed({
    execution_status: 'unheard-of',
    workspace: { working_dir: 7 },
    leaf_event_id: 7,
    max_iterations: 'many',
    tags: { a: 'one', b: 2 },
    stats: 'none',
  });
  assert.deepEqual(
    [odd.status, odd.workingDir, odd.leafId, odd.maxIterations, odd.tags, odd.stats],
    [undefined, undefined, undefined, undefined, { a: 'one' }, undefined],
  );
  assert.deepEqual(parsed({ tags: null }).tags, {});
  assert.equal(parsed({ workspace: undefined }).workingDir, undefined);
  const agent = JSON.parse(serializeBaseState(ours)).agent;
  const cases: readonly (readonly [object, RegExp])[] = [
    [{ id: 7 }, /^id is not a string/],
    [{ workspace: [] }, /^workspace is not an object/],
    [{ agent: null }, /^agent is not an object/],
    [{ agent: { ...agent, llm: 'x' } }, /^agent\.llm is not an object/],
    [{ agent: { ...agent, tools: ['terminal'] } }, /^tool is not an object/],
    [{ agent: { ...agent, tools: [{ name: 7 }] } }, /^tool\.name is not a string/],
    [{ agent: { ...agent, tools: [{ name: 'x', params: 7 }] } }, /^tool\.params is not an object/],
  ];
  for (const [more, message] of cases) assert.throws(() => parsed(more), { name: 'TypeError', message });
  assert.throws(() => parseBaseState('[]'), /^TypeError: base_state\.json is not an object/);
  assert.throws(() => parseBaseState('{"id":'), SyntaxError);
  assert.deepEqual(
    parsed({ agent: { ...agent, tools: [{ name: 'x' }], include_default_tools: 7 } }).agent?.tools,
    [{ name: 'x', params: {} }],
  );
});

test('calls that only the file has are kept in addition to the totals of the log', () => {
  const metrics = ours.state.stats.usage_to_metrics;
  const agentMetrics = { model_name: 'm', accumulated_cost: 1, costs: [{ cost: 1 }] };
  const json = JSON.parse(serializeBaseState(ours));
  const before = {
    ...parseBaseState(JSON.stringify(json)),
    stats: { usage_to_metrics: { ...metrics, agent: agentMetrics } } as never,
  };
  const state = {
    ...ours.state,
    stats: { usage_to_metrics: { agent: { model_name: 'm', accumulated_cost: 3 } } } as never,
  };
  const again = JSON.parse(serializeBaseState({ ...ours, state, before }));
  assert.deepEqual(again.stats.usage_to_metrics, {
    agent: { model_name: 'm', accumulated_cost: 3, costs: [{ cost: 1 }] },
  });
});

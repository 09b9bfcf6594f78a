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

test('golden: a base_state.json of an older version of the reference is understood', () => {
  const { id, agent, status } = parseBaseState(readFileSync(golden, 'utf8'));
  assert.deepEqual([id, status], ['11111111-2222-3333-4444-555555555555', 'idle']);
  const { model, usageId, retry, sampling, endpoint } = agent!.llm;
  assert.deepEqual(
    [model, usageId, retry?.maxWaitMs, sampling?.reasoningEffort, endpoint?.apiKey],
    ['gpt-4o-mini', 'test-llm', 64_000, 'high', undefined],
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

test('what was written is read back, less the key, which never reaches the disk', () => {
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
    maxIterations: 500,
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

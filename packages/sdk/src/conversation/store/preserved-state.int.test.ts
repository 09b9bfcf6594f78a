/** What the reference stored stays, key by key, and is used. The fixture is written by SDK 1.57.0. */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { scriptedLlm } from '../../llm/playback/scripted-llm.ts';
import { openLocalWorkspace } from '../../workspace/local-workspace.ts';
import { Conversation } from '../conversation.ts';
import type { OpenOptions } from '../open-options.ts';
import { BASE_STATE_FILE } from './base-state.ts';
import { conversationDirectory } from './location.ts';

const folder = mkdtempSync(join(tmpdir(), 'longhand-preserved-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const FIXTURE = join(import.meta.dirname, '../../event/fixtures/reference-1.57');
const ID = '129d7d7e-c1fb-4bc6-97f2-8a50a3610b21';
let copies = 0;

/** Opens a copy of the fixture, answers its message, and closes it. Returns what stands in the file then. */
async function goOn(
  options: Partial<OpenOptions> = {},
): Promise<{ readonly json: Json; readonly opened: Conversation }> {
  copies += 1;
  const conversationsDir = join(folder, String(copies));
  const directory = conversationDirectory(conversationsDir, ID);
  cpSync(FIXTURE, directory, { recursive: true });
  const opened = await Conversation.open({
    tools: [],
    workspace: openLocalWorkspace(folder),
    model: { llm: scriptedLlm({ turns: [{ text: 'Done.', usage: { prompt_tokens: 5 } }] }) },
    place: { id: ID, conversationsDir, durability: 'process' },
    oversight: { confirmation: { kind: 'AlwaysConfirm' } },
    ...options,
  });
  await opened.run();
  await opened.close();
  return { opened, json: read(directory) };
}

type Json = { readonly [key: string]: unknown };
const read = (directory: string): Json => JSON.parse(readFileSync(join(directory, BASE_STATE_FILE), 'utf8'));

/** Every value of a JSON text by its path. */
function leaves(json: unknown, path = ''): [string, unknown][] {
  if (typeof json !== 'object' || json === null || Object.keys(json).length === 0) return [[path, json]];
  return Object.entries(json).flatMap(([key, value]) => leaves(value, `${path}/${key}`));
}

/** What a run changes. */
const CHANGES =
  /^\/(persistence_dir|workspace|agent_state$|execution_status|leaf_event_id|stats\/usage_to_metrics\/agent\/(model_name|accumulated_\w+))/;

test('everything that the reference stored is still there after a run, except what the run changed', async () => {
  const before = leaves(read(FIXTURE)).filter(([path]) => !CHANGES.test(path));
  const { json } = await goOn();
  const after = new Map(leaves(json));
  const changed = before.filter(([path, value]) => !isDeepStrictEqual(after.get(path), value));
  assert.deepEqual(changed, []);
});

test('the model’s settings and the condenser that the reference stored are used', async () => {
  const { agent } = (await goOn()).opened;
  const { sampling, retry, prices, limits } = agent.llm;
  assert.equal(sampling?.reasoningEffort, 'low');
  assert.deepEqual([retry?.timeoutMs, retry?.attempts], [77_000, 2]);
  assert.deepEqual(prices, { inputUsdPerToken: 1e-6, outputUsdPerToken: 2e-6 });
  assert.equal(limits?.maxOutputTokens, 123);
  assert.deepEqual(agent.condenser, { type: 'llm', maxSize: 90, keepFirst: 3, minimumProgress: 0.1 });
  assert.equal(agent.llms?.['condenser']?.model, 'openai/gpt-4o-mini');
});

test('an agent that names no condenser keeps the stored one, and one that names another has it written', async () => {
  const agent = { llm: { model: 'openai/gpt-4o' }, tools: [] };
  const kept = await goOn({ agent });
  assert.equal(kept.opened.agent.condenser?.type, 'llm');
  assert.equal(kept.opened.agent.llms?.['condenser']?.model, 'openai/gpt-4o-mini');
  const { condenser } = kept.json['agent'] as { readonly condenser: Json };
  assert.deepEqual([condenser['max_size'], condenser['keep_first']], [90, 3]);
  const other = await goOn({ agent: { ...agent, condenser: { type: 'llm', maxSize: 40, keepFirst: 2 } } });
  const written = (other.json['agent'] as { readonly condenser: Json }).condenser;
  assert.deepEqual(
    [written['kind'], written['max_size'], written['keep_first'], written['hard_context_reset_max_retries']],
    ['LLMSummarizingCondenser', 40, 2, 5],
  );
});

test('the model of the stored condenser is reached where the agent’s is today, and is not used with another agent’s', async () => {
  const endpoint = { baseUrl: 'http://127.0.0.1:8/v1', apiKey: 'k' };
  const moved = await goOn({ agent: { llm: { model: 'openai/gpt-4o', endpoint }, tools: [] } });
  assert.deepEqual(moved.opened.agent.llms?.['condenser']?.endpoint, endpoint);
  const other = await goOn({ agent: { llm: { model: 'openai/gpt-5.5' }, tools: [] } });
  assert.equal(other.opened.agent.llms, undefined);
});

test('of another model only what the caller says is written, and no stored address ever stays', async () => {
  const { json } = await goOn({ agent: { llm: { model: 'openai/gpt-5.5' }, tools: [] } });
  assert.deepEqual((json['agent'] as { readonly llm: Json }).llm, {
    model: 'openai/gpt-5.5',
    usage_id: 'agent',
  });
  const same = await goOn({ agent: { llm: { model: 'openai/gpt-4o' }, tools: [] } });
  const { llm } = same.json['agent'] as { readonly llm: Json };
  assert.deepEqual(
    [llm['base_url'], llm['extra_headers'], llm['stream_idle_timeout']],
    [undefined, undefined, 77],
  );
});

test('if base_state.json cannot be read, every action needs confirmation until a policy is named', async () => {
  copies += 1;
  const conversationsDir = join(folder, String(copies));
  const directory = conversationDirectory(conversationsDir, ID);
  cpSync(FIXTURE, directory, { recursive: true });
  writeFileSync(join(directory, BASE_STATE_FILE), '');
  const warnings: string[] = [];
  const openWith = (more: Partial<OpenOptions>) =>
    Conversation.open({
      agent: { llm: { model: 'openai/gpt-4o' }, tools: [] },
      tools: [],
      workspace: openLocalWorkspace(folder),
      model: { llm: scriptedLlm({ turns: [] }) },
      place: { id: ID, conversationsDir, durability: 'process' },
      recording: { onWarning: (text) => warnings.push(text) },
      ...more,
    });
  await (await openWith({})).close();
  assert.deepEqual(read(directory)['confirmation_policy'], { kind: 'AlwaysConfirm' });
  assert.match(warnings.join('\n'), /every action needs confirmation until a policy is named/);
  writeFileSync(join(directory, BASE_STATE_FILE), '{"id":');
  await (await openWith({ oversight: { confirmation: { kind: 'NeverConfirm' } } })).close();
  assert.deepEqual(read(directory)['confirmation_policy'], { kind: 'NeverConfirm' });
});

test('after calls without a known price the accounts say how many the sum lacks', async () => {
  const agentOf = ({ json }: { readonly json: Json }) =>
    (json['stats'] as { readonly usage_to_metrics: { readonly agent: Json } }).usage_to_metrics.agent;
  const { accumulated_cost: cost, unpriced_calls: unpriced } = agentOf(await goOn());
  assert.deepEqual([cost, unpriced], [0.25, 1]);
});

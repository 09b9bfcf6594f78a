/** Folders that the reference has written or gone on with: it keeps status and accounts in base_state.json only. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { text, textOf } from '../../event/content.ts';
import { type Draft, eventOf } from '../../event/draft.ts';
import { systemClock } from '../../event/identity.ts';
import { type Event, movesHead } from '../../event/kinds.ts';
import { scriptedLlm } from '../../llm/playback/scripted-llm.ts';
import { FileEventLog } from '../../log/file-event-log.ts';
import { modelCalls } from '../../trajectory/model-calls.ts';
import { statsOf } from '../../trajectory/stats.ts';
import { openLocalWorkspace } from '../../workspace/local-workspace.ts';
import { Conversation } from '../conversation.ts';
import { conversationDirectory } from './location.ts';
import { readConversation } from './read.ts';

const folder = mkdtempSync(join(tmpdir(), 'longhand-reference-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const open = (id: string | undefined, answer: string, promptTokens: number) => {
  // The script goes by the answers that there are already.
  const llm = scriptedLlm({ turns: Array(3).fill({ text: answer, usage: { prompt_tokens: promptTokens } }) });
  return Conversation.open({
    place: { id, conversationsDir: folder },
    agent: { llm: { model: 'openai/x' }, tools: [] },
    model: { llm },
    tools: [],
    workspace: openLocalWorkspace(folder),
  });
};

/** A conversation of ours with one answer; its id. */
async function begun(): Promise<string> {
  const conversation = await open(undefined, 'ours', 5);
  await conversation.send('begin');
  await conversation.run();
  await conversation.close();
  return conversation.id;
}

const usage = (responseId: string, tokens: number) => ({
  model: 'theirs',
  prompt_tokens: tokens,
  completion_tokens: 1,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  context_window: 0,
  per_turn_token: tokens + 1,
  response_id: responseId,
});

/** As the reference goes on with a folder: a message and its answer, with accounts from the beginning on. */
async function goOnAsReference(id: string, status: string): Promise<void> {
  const directory = conversationDirectory(folder, id);
  const path = join(directory, 'base_state.json');
  const state = JSON.parse(readFileSync(path, 'utf8'));
  const log = await FileEventLog.open(directory);
  let leaf: string | null = state.leaf_event_id ?? null;
  const drafts: Draft[] = [
    {
      source: 'user',
      llm_message: { role: 'user', content: [text('from elsewhere')] },
      activated_skills: [],
      extended_content: [],
      kind: 'MessageEvent',
    },
    {
      source: 'agent',
      llm_message: { role: 'assistant', content: [text('their answer')] },
      llm_response_id: 'their-response',
      activated_skills: [],
      extended_content: [],
      kind: 'MessageEvent',
    },
  ];
  for (const draft of drafts) {
    const event = eventOf(draft, leaf, systemClock);
    await log.append(event);
    leaf = event.id;
  }
  await log.close();
  const before = state.stats.usage_to_metrics.agent;
  const known = [...modelCalls((await accountsOf(directory)).slice(0, 1))].map(
    ({ responseId }) => responseId,
  );
  const sum = usage('', (before?.accumulated_token_usage.prompt_tokens ?? 0) + 1_000);
  const agent = {
    model_name: 'theirs',
    accumulated_cost: 0.25,
    accumulated_token_usage: sum,
    costs: [...known, 'their-response'].map(() => ({ model: 'theirs', cost: 0.25, timestamp: 1 })),
    response_latencies: [{ model: 'theirs', latency: 2, response_id: 'their-response' }],
    token_usages: [...known.map((each) => usage(each, 5)), usage('their-response', 1_000)],
  };
  const stats = { usage_to_metrics: { ...state.stats.usage_to_metrics, agent } };
  const secrets = { secret_sources: { TOKEN: { kind: 'StaticSecret' } } };
  writeAsReference(directory, {
    stats,
    execution_status: status,
    leaf_event_id: leaf,
    secret_registry: secrets,
  });
}

/** As the reference writes the file: keys that it does not know are gone. */
function writeAsReference(directory: string, change: object): void {
  const path = join(directory, 'base_state.json');
  const { written_by: _, ...known } = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(path, JSON.stringify({ ...known, ...change }));
}

async function accountsOf(directory: string) {
  const stored = await readConversation(directory);
  const accounts = stored.accounts();
  await stored.close();
  return accounts;
}

test('a conversation of ours that the reference continued has its status and accounts, and continues from them', async () => {
  const id = await begun();
  const directory = conversationDirectory(folder, id);
  await goOnAsReference(id, 'paused');

  const stored = await readConversation(directory);
  assert.equal(stored.state.status, 'paused');
  const calls = [...modelCalls(stored.accounts())];
  assert.deepEqual(
    calls.map((call) => [call.usage?.prompt_tokens, call.costUsd, call.seconds === 2]),
    [
      [5, null, false],
      [1_000, 0.25, true],
    ],
  );
  const events = [...stored.log.read()].map(([, event]) => event);
  const { prompt_tokens, cost, steps } = statsOf(events, stored.accounts());
  assert.deepEqual([prompt_tokens, cost], [1_005, 0.25]);
  assert.deepEqual(
    steps.map((step) => step.prompt_tokens),
    [5, 1_000],
  );
  await stored.close();

  const again = await open(id, 'ours again', 7);
  assert.equal(again.state.status, 'paused');
  await again.send('on');
  assert.equal((await again.run()).kind, 'finished');
  await again.close();
  const left = JSON.parse(readFileSync(join(directory, 'base_state.json'), 'utf8'));
  assert.equal(left.stats.usage_to_metrics.agent.accumulated_token_usage.prompt_tokens, 1_012);
  assert.deepEqual(left.secret_registry, { secret_sources: { TOKEN: { kind: 'StaticSecret' } } });
  const last = await readConversation(directory);
  assert.equal(last.state.status, 'finished');
  const whole = statsOf(
    [...last.log.read()].map(([, event]) => event),
    last.accounts(),
  );
  assert.deepEqual(
    [whole.prompt_tokens, ...whole.steps.map((step) => step.prompt_tokens)],
    [1_012, 5, 1_000, 7],
  );
  await last.close();
});

test('a state that lags behind the log, as after a crash, changes neither status nor accounts', async () => {
  const directory = conversationDirectory(folder, await begun());
  const path = join(directory, 'base_state.json');
  const state = JSON.parse(readFileSync(path, 'utf8'));
  const older = { ...state, execution_status: 'running', stats: { usage_to_metrics: {} } };
  writeFileSync(path, JSON.stringify(older));
  const stored = await readConversation(directory);
  assert.equal(stored.state.status, 'finished');
  assert.equal(stored.state.stats.usage_to_metrics['agent']?.accumulated_token_usage.prompt_tokens, 5);
  assert.equal([...modelCalls(stored.accounts())].length, 1);
  await stored.close();
});

/** A conversation of ours with two questions and answers: its folder, and the events that are part of the tree. */
async function answeredTwice(): Promise<{
  readonly id: string;
  readonly directory: string;
  readonly tree: readonly Event[];
}> {
  const id = await begun();
  const conversation = await open(id, 'second answer', 5);
  await conversation.send('second question');
  await conversation.run();
  const tree = [...conversation.log.read()].map(([, event]) => event).filter(movesHead);
  await conversation.close();
  return { id, directory: conversationDirectory(folder, id), tree };
}

async function promptOf(directory: string): Promise<readonly string[]> {
  const stored = await readConversation(directory);
  const texts = stored.messages().map(({ content }) => textOf(content ?? []));
  await stored.close();
  return texts.filter((each) => !each.includes('<'));
}

test('HEAD that the reference moved back to an earlier event is respected, read and resumed', async () => {
  const { id, directory, tree } = await answeredTwice();
  assert.deepEqual(await promptOf(directory), ['begin', 'ours', 'second question', 'second answer']);
  const answer = tree.find((event) => event.kind === 'MessageEvent' && event.source === 'agent')!;
  writeAsReference(directory, { leaf_event_id: answer.id, execution_status: 'idle' });
  assert.deepEqual(await promptOf(directory), ['begin', 'ours']);

  // Opening and closing alone must not lose it either: from then on the file is ours.
  await (await open(id, 'unused', 5)).close();
  assert.deepEqual(await promptOf(directory), ['begin', 'ours']);

  const again = await open(id, 'third answer', 5);
  await again.send('third question');
  await again.run();
  const question = [...again.log.read()].findLast(([, event]) => event.source === 'user')?.[1];
  await again.close();
  assert.equal(question?.parent_id, answer.id);
  assert.deepEqual(await promptOf(directory), ['begin', 'ours', 'third question', 'third answer']);
});

test('HEAD that the reference moved before the first event is respected, read and resumed', async () => {
  const { id, directory } = await answeredTwice();
  writeAsReference(directory, { leaf_event_id: undefined, head_is_empty: true, execution_status: 'idle' });
  assert.deepEqual(await promptOf(directory), []);
  await (await open(id, 'unused', 5)).close();
  const left = JSON.parse(readFileSync(join(directory, 'base_state.json'), 'utf8'));
  assert.deepEqual([left.leaf_event_id, left.head_is_empty], [undefined, true]);

  const again = await open(id, 'new answer', 5);
  await again.send('new question');
  await again.run();
  await again.close();
  assert.deepEqual(await promptOf(directory), ['new question', 'new answer']);
});

test('a leaf that lags behind because a run of the reference was cut off does not hide the events after it', async () => {
  const { directory, tree } = await answeredTwice();
  writeAsReference(directory, { leaf_event_id: tree[1]!.id, execution_status: 'running' });
  assert.deepEqual(await promptOf(directory), ['begin', 'ours', 'second question', 'second answer']);
});

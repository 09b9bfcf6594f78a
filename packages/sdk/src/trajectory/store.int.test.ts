import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { callDraft, countingClock, observationDraft, wordsDraft } from '../../test-support/random-history.ts';
import { Conversation } from '../conversation/conversation.ts';
import { foldLog } from '../conversation/state/history.ts';
import { forkDirectory } from '../conversation/store/fork.ts';
import { conversationDirectory } from '../conversation/store/location.ts';
import { readBaseState } from '../conversation/store/open.ts';
import { readConversation } from '../conversation/store/read.ts';
import { writeEventFolder } from '../conversation/store/write-event-folder.ts';
import { eventOf } from '../event/draft.ts';
import type { Event } from '../event/kinds.ts';
import type { Prompt } from '../llm/llm.ts';
import { scriptedLlm } from '../llm/playback/scripted-llm.ts';
import { MemoryEventLog } from '../log/memory-event-log.ts';
import { openLocalWorkspace } from '../workspace/local-workspace.ts';
import { readEventFolder } from './event-folder.ts';
import { readTrajectory } from './formats.ts';
import { statsOf } from './stats.ts';
import { storeImported } from './store.ts';

function place(t: TestContext): string {
  const root = mkdtempSync(join(tmpdir(), 'longhand-store-test-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

function someEvents() {
  const clock = countingClock();
  const call = eventOf(callDraft('c', 'r'), null, clock);
  return [
    eventOf(wordsDraft('user', 'go'), null, clock),
    call,
    eventOf(observationDraft('c', call.id), null, clock),
  ];
}

test('a folder of events is written with the file names of the reference, and can be read again', async (t) => {
  const root = place(t);
  const events = someEvents();
  await writeEventFolder(join(root, 'x'), events, '{"id":"x"}');
  assert.deepEqual(
    readdirSync(join(root, 'x', 'events')).sort(),
    events.map(({ id }, i) => `event-0000${i}-${id}.json`),
  );
  assert.equal(readFileSync(join(root, 'x', 'base_state.json'), 'utf8'), '{"id":"x"}');
  assert.deepEqual(readEventFolder(join(root, 'x')).events, events);
});

test('a folder of the reference that ends with finish is finished, and has the accounts of its base state', async (t) => {
  const root = place(t);
  const last = eventOf(wordsDraft('agent', 'done'), null, countingClock());
  const events = [...someEvents(), { ...last, id: '99999999-0000-4000-8000-000000000009' }];
  const usage = { prompt_tokens: 7, completion_tokens: 1, response_id: 'r' };
  const agent = {
    accumulated_cost: 0.5,
    accumulated_token_usage: usage,
    token_usages: [usage],
    costs: [{ cost: 0.5 }],
  };
  const state = { id: 'x', stats: { usage_to_metrics: { agent } } };
  await writeEventFolder(join(root, 'x'), events, JSON.stringify(state));
  const imported = readEventFolder(join(root, 'x')).events;
  assert.deepEqual(imported.slice(0, events.length), events);
  assert.equal(foldLog(await logOf(imported)).state.status, 'finished');
  const { prompt_tokens, cost, steps } = statsOf(imported);
  assert.deepEqual([prompt_tokens, cost, steps[0]?.prompt_tokens, steps[0]?.cost], [7, 0.5, 7, 0.5]);
});

async function logOf(events: readonly Event[]) {
  const log = new MemoryEventLog();
  await log.append(...events);
  return log;
}

test('a folder of events that contains a pipe named like an event is refused', async (t) => {
  const root = place(t);
  await writeEventFolder(root, someEvents(), undefined);
  execFileSync('mkfifo', [join(root, 'events', 'event-00003-0000000f.json')]);
  assert.throws(() => readEventFolder(root), /^TrajectoryError: event-00003-0000000f\.json is not a file$/);
});

test('folders of events with older names are read: 000000_ID.json, event_000000_ID.json, with or without events/', (t) => {
  const root = place(t);
  const events = someEvents();
  const names = ['000000_evt-1.json', '000001_evt-2.json', 'event_000002_evt-3.json'];
  mkdirSync(join(root, 'old', 'events'), { recursive: true });
  mkdirSync(join(root, 'flat'));
  for (const [i, event] of events.entries())
    for (const folder of [join('old', 'events'), 'flat'])
      writeFileSync(join(root, folder, names[i] ?? ''), JSON.stringify(event));
  writeFileSync(join(root, 'flat', 'meta.json'), '{}');
  assert.deepEqual(readTrajectory(join(root, 'old')).events, events);
  assert.deepEqual(readTrajectory(join(root, 'flat')).events, events);
  writeFileSync(join(root, 'flat', '000009_evt-9.json'), '{"kind": "MessageEvent"}');
  assert.throws(
    () => readTrajectory(join(root, 'flat')),
    /^TrajectoryError: 000009_evt-9\.json: an event is expected, but MessageEvent/,
  );
});

test('an imported conversation has its folder, its model if known, and events with ids that can be looked up', async (t) => {
  const conversationsDir = place(t);
  const renamed = someEvents().map((event, i) => ({ ...event, id: `evt-${i}` }));
  const [first, call, result] = renamed;
  const events = [first, call, { ...result, action_id: 'evt-1' }] as ReturnType<typeof someEvents>;
  const imported = { events, where: () => '', model: 'anthropic/some-model' };
  const id = await storeImported(imported, { conversationsDir, workingDir: '/somewhere', tools: [] });
  const directory = conversationDirectory(conversationsDir, id);
  const { agent, workingDir } = readBaseState(directory) ?? {};
  assert.deepEqual([agent?.llm.model, workingDir], ['anthropic/some-model', '/somewhere']);
  const stored = await readConversation(directory);
  const branch = stored.branch();
  await stored.close();
  assert.deepEqual(
    branch.map(({ kind }) => kind),
    ['MessageEvent', 'ActionEvent', 'ObservationEvent'],
  );
  const [, storedCall, storedResult] = branch;
  assert.equal(storedResult?.kind === 'ObservationEvent' && storedResult.action_id, storedCall?.id);
  const fork = await forkDirectory(directory, { at: 1, conversationsDir });
  assert.equal(readdirSync(join(conversationDirectory(conversationsDir, fork), 'events')).length, 2);
  assert.equal(readdirSync(conversationsDir).length, 2, 'nothing half-made is left');
});

test('an imported conversation without a model has its working folder', async (t) => {
  const conversationsDir = place(t);
  const id = await storeImported(
    { events: someEvents(), where: () => '' },
    { conversationsDir, workingDir: '/w', tools: [] },
  );
  const { agent, workingDir } = readBaseState(conversationDirectory(conversationsDir, id)) ?? {};
  assert.deepEqual([agent, workingDir], [undefined, '/w']);
});

test('an imported history without a system prompt gets one when it is resumed, and it is sent first', async (t) => {
  for (const words of ['go on', undefined]) {
    const conversationsDir = place(t);
    const id = await storeImported(
      { events: someEvents(), where: () => '' },
      { conversationsDir, workingDir: conversationsDir, tools: [] },
    );
    const prompts: Prompt[] = [];
    const llm = scriptedLlm({ turns: [{ text: 'one' }, { text: 'two' }] });
    const conversation = await Conversation.open({
      agent: { llm: { model: 'm' }, tools: [], systemPrompt: 'You are an agent.' },
      tools: [],
      workspace: openLocalWorkspace(conversationsDir),
      model: {
        llm: {
          ...llm,
          complete: (prompt, options) => {
            prompts.push(prompt);
            return llm.complete(prompt, options);
          },
        },
      },
      place: { conversationsDir, id },
    });
    if (words !== undefined) await conversation.send(words);
    assert.equal((await conversation.run()).kind, 'finished');
    await conversation.close();
    assert.deepEqual(
      prompts[0]?.messages.map(({ role }) => role),
      ['system', 'user', 'assistant', 'tool', ...(words === undefined ? [] : ['user'])],
    );
  }
});

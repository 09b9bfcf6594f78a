import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { call, openInMemory } from '../../../test-support/open-in-memory.ts';
import type { Agent } from '../../agent/agent.ts';
import { textOf } from '../../event/content.ts';
import type { ScriptedTurn } from '../../llm/playback/scripted-llm.ts';
import { conversationDirectory } from './location.ts';
import { listConversations, readConversation } from './read.ts';

const AGENT: Agent = {
  llm: { model: 'openai/x', usageId: 'agent' },
  tools: ['echo', 'finish'].map((name) => ({ name, params: {} })),
  systemPrompt: 's',
};
const DONE: ScriptedTurn = { text: 'done', usage: { prompt_tokens: 5 } };

/** Conversations that were run and closed in one folder: their tasks, with their tags. */
async function folderWith(t: TestContext, ...stored: readonly (readonly [task: string, tags?: object])[]) {
  const conversationsDir = mkdtempSync(join(tmpdir(), 'longhand-read-'));
  t.after(() => rmSync(conversationsDir, { recursive: true, force: true }));
  const ids: string[] = [];
  for (const [i, [task, tags = {}]] of stored.entries()) {
    const place = {
      conversationsDir,
      durability: 'process',
      tags: tags as { [key: string]: string },
    } as const;
    const { conversation } = await openInMemory(t, [{ tool_calls: [call('x')] }, DONE], {
      place,
      agent: AGENT,
    });
    if (task !== '') {
      await conversation.send(task);
      await conversation.run();
    }
    await conversation.close();
    ids.push(conversation.id);
    const seconds = 1_000_000 + i;
    utimesSync(join(conversation.directory as string, 'events'), seconds, seconds);
  }
  return { conversationsDir, ids };
}

test('conversations are listed with their task and name, the most recently changed first', async (t) => {
  const { conversationsDir, ids } = await folderWith(t, ['first', { name: 'mine' }], ['second'], ['']);
  const listed = await listConversations(conversationsDir);
  assert.deepEqual(
    listed.map(({ id, title, name, status }) => [id, title, name, status]),
    [
      [ids[2], '', undefined, 'idle'],
      [ids[1], 'second', undefined, 'finished'],
      [ids[0], 'first', 'mine', 'finished'],
    ],
  );
  const [, second] = listed;
  assert.equal(second?.directory, conversationDirectory(conversationsDir, ids[1] as string));
  assert.deepEqual([second?.workingDir, second?.costUsd, second?.modifiedMs], ['/', 0, 1_000_001_000]);
  assert.ok((second?.events ?? 0) > 5);
});

test('a conversation that cannot be read is left out of the list with a warning', async (t) => {
  const { conversationsDir, ids } = await folderWith(t, ['good'], ['bad']);
  const bad = conversationDirectory(conversationsDir, ids[1] as string);
  rmSync(join(bad, 'events'), { recursive: true });
  writeFileSync(join(bad, 'events'), '');
  const warnings: string[] = [];
  const listed = await listConversations(conversationsDir, (warning) => warnings.push(warning));
  assert.deepEqual(
    listed.map(({ title }) => title),
    ['good'],
  );
  assert.ok(warnings.join('\n').includes(bad));
  assert.equal((await listConversations(conversationsDir)).length, 1);
});

test('a folder without conversations is an empty list', async (t) => {
  const { conversationsDir } = await folderWith(t);
  assert.deepEqual(await listConversations(conversationsDir), []);
  mkdirSync(join(conversationsDir, 'not-a-conversation'));
  assert.deepEqual(await listConversations(conversationsDir), []);
});

test('a stored conversation can be read in its latest state and as it was after any event', async (t) => {
  const { conversationsDir, ids } = await folderWith(t, ['first', { name: 'mine' }]);
  const stored = await readConversation(conversationDirectory(conversationsDir, ids[0] as string));
  t.after(() => stored.close());
  assert.deepEqual(
    [stored.state.status, stored.workingDir, stored.tags],
    ['finished', '/', { agent: 'CodeActAgent', name: 'mine' }],
  );
  const events = [...stored.log.read()];
  const spoken = events.findIndex(([, event]) => event.kind === 'MessageEvent' && event.source === 'user');
  assert.equal(stored.stateAt(spoken).status, 'idle');
  const shown = (await stored.messagesAt(spoken)).map(({ content }) => textOf(content));
  assert.deepEqual(shown.slice(1), ['first']);
  assert.equal(stored.messages().length, 5);
  assert.deepEqual(
    stored.branch().map(({ kind }) => kind),
    ['SystemPromptEvent', 'MessageEvent', 'ActionEvent', 'ObservationEvent', 'MessageEvent'],
  );
  const totals = stored.accounts().at(-1)?.usage_to_metrics['agent'];
  assert.equal(totals?.accumulated_token_usage.prompt_tokens, 5);
  const wire = await stored.wireMessagesAt(spoken);
  assert.match(wire[1] ?? '', /"first"/);
});

test('a folder without a conversation cannot be read', async (t) => {
  const { conversationsDir } = await folderWith(t);
  await assert.rejects(readConversation(join(conversationsDir, 'none')), { name: 'LogError' });
});

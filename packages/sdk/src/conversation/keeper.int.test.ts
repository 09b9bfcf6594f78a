import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { call, openInMemory } from '../../test-support/open-in-memory.ts';
import type { LLM } from '../llm/llm.ts';
import { type ScriptedTurn, scriptedLlm } from '../llm/playback/scripted-llm.ts';
import type { OpenOptions } from './open-options.ts';

async function openStored(
  t: TestContext,
  turns: readonly ScriptedTurn[] | LLM,
  more: Partial<OpenOptions> = {},
) {
  const conversationsDir = mkdtempSync(join(tmpdir(), 'longhand-keeper-'));
  t.after(() => rmSync(conversationsDir, { recursive: true, force: true }));
  const place = { conversationsDir, durability: 'process' } as const;
  const { conversation } = await openInMemory(t, turns, { ...more, place });
  const path = (name: string) => join(conversation.directory ?? '', name);
  return { conversation, conversationsDir, path };
}

test('a checkpoint is written after a run, and again only when the log has grown', async (t) => {
  const { conversation, path } = await openStored(t, [{ text: 'done' }]);
  const checkpoint = path('checkpoint.json');
  await conversation.send('go');
  assert.equal(existsSync(checkpoint), false);
  await conversation.run();
  assert.equal(existsSync(checkpoint), true);
  rmSync(checkpoint);
  await conversation.fork();
  assert.equal(existsSync(checkpoint), false);
  await conversation.send('and more');
  await conversation.close();
  assert.equal(existsSync(checkpoint), true);
});

test('base_state.json is there before the first event, and follows each run', async (t) => {
  const { conversation, path } = await openStored(t, [{ text: 'done' }]);
  await conversation.send('go');
  const stored = () =>
    JSON.parse(readFileSync(path('base_state.json'), 'utf8')) as { [key: string]: unknown };
  assert.equal(stored()['id'], conversation.id);
  await conversation.run();
  assert.deepEqual(stored(), conversation.baseState());
  assert.equal(stored()['execution_status'], 'finished');
});

test('responses of the provider are kept with secrets masked', async (t) => {
  const script = scriptedLlm({ turns: [{ tool_calls: [call('a')] }, { text: 'done' }] });
  const answers = [{ said: 'a token-1234567' }, undefined];
  const llm: LLM = {
    ...script,
    complete: async (...args) => {
      const raw = answers.shift();
      const completion = await script.complete(...args);
      return raw === undefined ? completion : { ...completion, raw };
    },
  };
  const recording = { secrets: ['token-1234567'] };
  const { conversation, path } = await openStored(t, llm, { recording });
  await conversation.send('go');
  await conversation.run();
  const kept = readFileSync(path('responses.jsonl'), 'utf8');
  assert.equal(kept.trim().split('\n').length, 1);
  assert.equal(kept.includes('token-1234567'), false);
  assert.match(kept, /"response":\{"said":"a /);
});

test('a conversation that cannot be opened leaves no folder', async (t) => {
  const { conversationsDir } = await openStored(t, []);
  const before = readdirSync(conversationsDir);
  const tools = [
    {
      name: 'echo',
      create: () => {
        throw new Error('no room');
      },
    },
  ];
  await assert.rejects(openInMemory(t, [], { tools, place: { conversationsDir } }));
  assert.deepEqual(readdirSync(conversationsDir), before);
});

test('a resumed conversation says so, and where its log began', async (t) => {
  const { conversation, conversationsDir } = await openStored(t, [{ text: 'done' }]);
  assert.deepEqual([conversation.resumed, conversation.openedAt], [false, 0]);
  await conversation.send('go');
  await conversation.close();
  const { length } = conversation.log;
  const place = { conversationsDir, id: conversation.id, durability: 'process' } as const;
  const { conversation: again } = await openInMemory(t, [{ text: 'done' }], { place });
  assert.deepEqual([again.resumed, again.openedAt, again.log.length], [true, length, length]);
});

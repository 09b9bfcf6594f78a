import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import * as z from 'zod';
import { scriptedLlm } from '../llm/playback/scripted-llm.ts';
import { LogError } from '../log/log-error.ts';
import { defineTool } from '../tool/define-tool.ts';
import type { ToolFactory } from '../tool/tool.ts';
import { openLocalWorkspace } from '../workspace/local-workspace.ts';
import { Conversation } from './conversation.ts';

const folder = mkdtempSync(join(tmpdir(), 'longhand-broken-log-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const effects = join(folder, 'effects');
const mark = defineTool({
  name: 'mark',
  description: 'Adds a line to a file.',
  input: z.object({ word: z.string() }),
  run: ({ word }) => {
    appendFileSync(effects, `${word}\n`);
    return 'done';
  },
});
const tools: readonly ToolFactory[] = [{ name: 'mark', create: () => [mark] }];

const turns = [
  { tool_calls: [{ name: 'mark', arguments: { word: 'one' } }] },
  { tool_calls: [{ name: 'mark', arguments: { word: 'two' } }] },
  { text: 'Both are marked.' },
];
/** Fewest events of an undisturbed run before its last append. */
const LAST = 9;

function open(id?: string): Promise<Conversation> {
  return Conversation.open({
    agent: { llm: { model: 'scripted' }, tools: [{ name: 'mark', params: {} }] },
    tools,
    workspace: openLocalWorkspace(folder),
    model: { llm: scriptedLlm({ turns }) },
    place: { conversationsDir: folder, durability: 'process', id },
    oversight: { confirmation: { kind: 'NeverConfirm' } },
  });
}

function marked(): readonly string[] {
  return existsSync(effects) ? readFileSync(effects, 'utf8').trim().split('\n') : [];
}

/** Takes the folder of the events away as soon as the log has `length` events, so that the next append fails. */
function failAfter(conversation: Conversation, length: number): { repair(): void } {
  const events = join(conversation.directory ?? '', 'events');
  const away = `${events}.away`;
  const take = (): void => {
    if (conversation.log.length >= length && !existsSync(away)) renameSync(events, away);
  };
  take();
  conversation.subscribe({ onEvent: take });
  return { repair: () => renameSync(away, events) };
}

for (let length = 0; length < LAST; length += 1) {
  test(`an append that fails after ${length} events: no further call of run, send or approve has an effect`, async () => {
    rmSync(effects, { force: true });
    const conversation = await open();
    const broken = failAfter(conversation, length);
    const said = await conversation.send('mark one and two').catch((error: unknown) => error);
    if (said === undefined) await assert.rejects(conversation.run(), LogError);
    const before = marked();
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await assert.rejects(conversation.run(), { name: 'LogError', code: 'io' });
      await assert.rejects(conversation.approve(), { name: 'LogError', code: 'io' });
      await assert.rejects(conversation.send('go on'), { name: 'LogError', code: 'io' });
    }
    assert.deepEqual(marked(), before);
    assert.equal(new Set(before).size, before.length, 'no effect has happened twice');
    broken.repair();
    await conversation.close().catch(() => undefined);

    // What an open call did is unknown to the log: it gets an error, and is not executed again.
    const again = await open(conversation.id);
    const results = again.view.events.filter(({ kind }) => kind === 'AgentErrorEvent').length;
    assert.equal(again.view.openActions().length, 0);
    assert.deepEqual(marked(), before);
    assert.ok(results <= 1);
    await again.close();
  });
}

test('a closed conversation refuses run, send and approve with a LogError', async () => {
  const conversation = await open();
  await conversation.close();
  for (const call of [conversation.run(), conversation.send('go'), conversation.approve()])
    await assert.rejects(call, { name: 'LogError', code: 'closed' });
});

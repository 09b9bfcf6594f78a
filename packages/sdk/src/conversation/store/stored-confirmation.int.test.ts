import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import * as z from 'zod';
import { scriptedLlm } from '../../llm/playback/scripted-llm.ts';
import type { ConfirmationPolicy } from '../../security/confirmation.ts';
import { defineTool } from '../../tool/define-tool.ts';
import { openLocalWorkspace } from '../../workspace/local-workspace.ts';
import { Conversation } from '../conversation.ts';

const folder = mkdtempSync(join(tmpdir(), 'longhand-stored-confirmation-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let effects = 0;
beforeEach(() => {
  effects = 0;
});
const touch = defineTool({
  name: 'touch',
  description: 'Has an effect.',
  input: z.object({}),
  run: () => {
    effects += 1;
    return 'done';
  },
});
const call = { tool_calls: [{ name: 'touch', arguments: {} }] };

function open(id?: string, confirmation?: ConfirmationPolicy): Promise<Conversation> {
  return Conversation.open({
    agent: { llm: { model: 'scripted' }, tools: [{ name: 'touch', params: {} }] },
    tools: [{ name: 'touch', create: () => [touch] }],
    workspace: openLocalWorkspace(folder),
    model: { llm: scriptedLlm({ turns: [call, call, { text: 'Done.' }] }) },
    place: { conversationsDir: folder, durability: 'process', id },
    oversight: { confirmation },
  });
}

/** A stored conversation that waits for consent to its first call. */
async function waiting(): Promise<Conversation> {
  const conversation = await open(undefined, { kind: 'AlwaysConfirm' });
  await conversation.send('go');
  assert.deepEqual(await conversation.run(), { kind: 'waiting' });
  await conversation.close();
  return conversation;
}

const baseState = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

test('the stored policy holds in a resumed conversation, for the waiting call and for later ones', async () => {
  const { id } = await waiting();
  const resumed = await open(id);
  assert.deepEqual(await resumed.run(), { kind: 'waiting' });
  assert.equal(effects, 0);
  await resumed.approve();
  assert.deepEqual(await resumed.run(), { kind: 'waiting' });
  assert.equal(effects, 1);
  assert.deepEqual(resumed.baseState()['confirmation_policy'], { kind: 'AlwaysConfirm' });
  await resumed.close();
});

test('a policy that the caller names replaces the stored one', async () => {
  const { id, directory } = await waiting();
  const resumed = await open(id, { kind: 'NeverConfirm' });
  await resumed.approve();
  assert.equal((await resumed.run()).kind, 'finished');
  await resumed.close();
  assert.deepEqual(baseState(join(directory ?? '', 'base_state.json')).confirmation_policy, {
    kind: 'NeverConfirm',
  });
});

test('a fork keeps the policy', async () => {
  const { id } = await waiting();
  const origin = await open(id);
  const forked = await open(await origin.fork());
  await origin.close();
  assert.deepEqual(forked.baseState()['confirmation_policy'], { kind: 'AlwaysConfirm' });
  await forked.close();
});

for (const [policy, held] of [
  [
    { threshold: 'MEDIUM', confirm_unknown: true, kind: 'ConfirmRisky' },
    { threshold: 'MEDIUM', confirm_unknown: true, kind: 'ConfirmRisky' },
  ],
  [{ kind: 'ConfirmRisky' }, { threshold: 'HIGH', confirm_unknown: true, kind: 'ConfirmRisky' }],
  [{ kind: 'ConfirmOnSundays' }, { kind: 'AlwaysConfirm' }],
] as const) {
  test(`a policy that another program stored holds: ${JSON.stringify(policy)}`, async () => {
    const begun = await open();
    await begun.close();
    const path = join(begun.directory ?? '', 'base_state.json');
    writeFileSync(path, JSON.stringify({ ...baseState(path), confirmation_policy: policy }));
    const resumed = await open(begun.id);
    await resumed.send('go');
    assert.deepEqual(await resumed.run(), { kind: 'waiting' });
    assert.equal(effects, 0);
    assert.deepEqual(resumed.baseState()['confirmation_policy'], held);
    await resumed.close();
  });
}

/**
 * Folders that Longhand and the reference (1.57.0) wrote in six turns, and what the reference reads in them. `npm run reference-check` makes
 * and compares new ones, where the reference is installed.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ourFacts } from '../../../test-support/folder-facts.ts';
import { frozenFolders, thaw } from '../../../test-support/frozen-folder.ts';
import { scriptedLlm } from '../../llm/playback/scripted-llm.ts';
import { openLocalWorkspace } from '../../workspace/local-workspace.ts';
import { Conversation } from '../conversation.ts';

const conversations = mkdtempSync(join(tmpdir(), 'longhand-turns-'));
after(() => rmSync(conversations, { recursive: true, force: true }));

for (const [name, frozen] of frozenFolders(join(import.meta.dirname, 'fixtures/turns'))) {
  test(`${name}: Longhand reads in the folder what the reference reads, and goes on with it`, async () => {
    thaw(frozen, conversations);
    assert.deepEqual(await ourFacts(conversations, frozen.id), frozen.facts);

    const conversation = await Conversation.open({
      agent: { llm: { model: 'openai/gpt-4o' }, tools: [] },
      tools: [],
      workspace: openLocalWorkspace(conversations),
      model: { llm: scriptedLlm({ turns: Array(99).fill({ text: 'Gone on.' }) }) },
      place: { conversationsDir: conversations, id: frozen.id, durability: 'process' },
    });
    await conversation.reject('Not now.');
    await conversation.send('Go on.');
    assert.deepEqual(await conversation.run(), { kind: 'finished', message: 'Gone on.' });
    await conversation.close();
    const facts = await ourFacts(conversations, frozen.id);
    assert.deepEqual(facts.events.slice(0, frozen.events.length), frozen.facts.events);
    assert.equal(facts.messages.at(-1)?.text, 'Gone on.');
  });
}

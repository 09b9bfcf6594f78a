import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import * as z from 'zod';
import { openInMemory } from '../../test-support/open-in-memory.ts';
import { defineTool } from '../tool/define-tool.ts';

test('when a conversation is resumed, the model is told how tools of servers differ from those in its prompt', async (t) => {
  const conversationsDir = mkdtempSync(join(tmpdir(), 'longhand-parts-'));
  t.after(() => rmSync(conversationsDir, { recursive: true, force: true }));
  const id = '0f0f0f0f-0000-4000-8000-000000000000';
  const toldWith = async (description: string) => {
    const tool = {
      ...defineTool({ name: 'fetch', description, input: z.object({}), run: () => 'ok' }),
      describe: { mcp_tool: { name: 'fetch', description, inputSchema: { type: 'object' } } },
    };
    const { conversation } = await openInMemory(t, [{ text: 'one' }, { text: 'two' }, { text: 'three' }], {
      agent: { llm: { model: 'm' }, tools: [{ name: 'fetch', params: {} }] },
      tools: [{ name: 'fetch', create: () => [tool] }],
      place: { conversationsDir, id, durability: 'process' },
    });
    await conversation.send('go');
    await conversation.run();
    const said = JSON.stringify(conversation.view.messages());
    await conversation.close();
    return said.split('tools have changed').length - 1;
  };
  assert.equal(await toldWith('fetches'), 0);
  assert.equal(await toldWith('fetches'), 0);
  assert.equal(await toldWith('fetches pages'), 1);
});

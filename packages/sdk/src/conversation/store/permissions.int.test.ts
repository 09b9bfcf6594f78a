import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import * as z from 'zod';
import { scriptedLlm } from '../../llm/playback/scripted-llm.ts';
import { defineTool } from '../../tool/define-tool.ts';
import type { ToolFactory } from '../../tool/tool.ts';
import { openLocalWorkspace } from '../../workspace/local-workspace.ts';
import { Conversation } from '../conversation.ts';
import { forkDirectory } from './fork.ts';
import { conversationDirectory } from './location.ts';

const folder = mkdtempSync(join(tmpdir(), 'longhand-permissions-'));
const umask = process.umask(0);
after(() => {
  process.umask(umask);
  rmSync(folder, { recursive: true, force: true });
});

const keep: ToolFactory = {
  name: 'keep',
  create: ({ files }) => [
    defineTool({
      name: 'keep',
      description: 'Keeps files beside the conversation.',
      input: z.object({}),
      run: () => {
        files?.write('observations/whole.txt', 'output');
        files?.create('observations/piece.txt').close();
        return 'kept';
      },
    }),
  ],
};

function open(conversationsDir: string, id?: string): Promise<Conversation> {
  return Conversation.open({
    agent: { llm: { model: 'scripted' }, tools: [{ name: 'keep', params: {} }] },
    tools: [keep],
    workspace: openLocalWorkspace(folder),
    model: {
      llm: scriptedLlm({ turns: [{ tool_calls: [{ name: 'keep', arguments: {} }] }, { text: 'Done.' }] }),
    },
    place: { conversationsDir, id },
  });
}

/** The permissions of everything below a folder, itself included. */
function modesIn(path: string): Record<string, string> {
  const names = ['', ...(readdirSync(path, { recursive: true }) as string[])];
  return Object.fromEntries(
    names.map((name) => [name, (statSync(join(path, name)).mode & 0o777).toString(8)]),
  );
}

function assertPrivate(path: string): void {
  for (const [name, mode] of Object.entries(modesIn(path)))
    assert.equal(mode, statSync(join(path, name)).isDirectory() ? '700' : '600', name);
}

test('everything in the folder of a conversation is readable only for its owner, while it is open and afterwards', async () => {
  const conversations = join(folder, 'new', 'conversations');
  const conversation = await open(conversations);
  await conversation.send('go');
  await conversation.run();
  assertPrivate(join(folder, 'new'));
  await conversation.close();
  assertPrivate(join(folder, 'new'));
  const directory = conversationDirectory(conversations, conversation.id);
  assert.ok('observations/piece.txt' in modesIn(directory));

  const id = await forkDirectory(directory, { conversationsDir: conversations });
  assertPrivate(conversationDirectory(conversations, id));
});

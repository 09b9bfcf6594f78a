import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { scriptedLlm } from '../../llm/playback/scripted-llm.ts';
import { defineTool } from '../../tool/define-tool.ts';
import { openLocalWorkspace } from '../../workspace/local-workspace.ts';
import { Conversation } from '../conversation.ts';

const folder = mkdtempSync(join(tmpdir(), 'longhand-base-state-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const call = { tool_calls: [{ name: 'wait', arguments: {} }], usage: { prompt_tokens: 7 } };

interface Waiting {
  readonly conversation: Conversation;
  /** Ends the tool's call. */
  readonly goOn: () => void;
}

async function open(confirmation: 'NeverConfirm' | 'AlwaysConfirm'): Promise<Waiting> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const wait = defineTool({
    name: 'wait',
    description: 'Waits.',
    input: z.object({}),
    run: async () => {
      await promise;
      return 'done';
    },
  });
  const conversation = await Conversation.open({
    agent: { llm: { model: 'scripted' }, tools: [{ name: 'wait', params: {} }] },
    tools: [{ name: 'wait', create: () => [wait] }],
    workspace: openLocalWorkspace(folder),
    model: { llm: scriptedLlm({ turns: [call, { text: 'Done.' }, { text: 'Done again.' }] }) },
    place: { conversationsDir: folder, durability: 'process' },
    oversight: { confirmation: { kind: confirmation } },
  });
  return { conversation, goOn: resolve };
}

interface Stored {
  readonly execution_status: string;
  readonly leaf_event_id?: string;
  readonly stats: {
    readonly usage_to_metrics: {
      readonly [id: string]: { readonly accumulated_token_usage: { readonly prompt_tokens: number } };
    };
  };
}

function stored({ directory }: Conversation): Stored {
  return JSON.parse(readFileSync(join(directory ?? '', 'base_state.json'), 'utf8'));
}

/** Fails by the time limit of the test if it never becomes true. */
async function until(conversation: Conversation, isSo: (state: Stored) => boolean): Promise<void> {
  while (!isSo(stored(conversation))) await sleep(10);
}

const LIMIT = { timeout: 20_000 };

test(
  'base_state.json tells status, accounts and HEAD of a run while a tool is still working',
  LIMIT,
  async () => {
    const { conversation, goOn } = await open('NeverConfirm');
    await conversation.send('go');
    const running = conversation.run();
    await until(
      conversation,
      ({ execution_status, stats, leaf_event_id }) =>
        execution_status === 'running' &&
        stats.usage_to_metrics['agent']?.accumulated_token_usage.prompt_tokens === 7 &&
        leaf_event_id === conversation.state.leafId,
    );
    goOn();
    await running;
    assert.equal(stored(conversation).execution_status, 'finished');
    await conversation.close();
  },
);

test(
  'base_state.json is idle after approve, and after a new message to a finished conversation',
  LIMIT,
  async () => {
    const { conversation, goOn } = await open('AlwaysConfirm');
    await conversation.send('go');
    assert.equal((await conversation.run()).kind, 'waiting');
    assert.equal(stored(conversation).execution_status, 'waiting_for_confirmation');
    await conversation.approve();
    await until(conversation, ({ execution_status }) => execution_status === 'idle');
    goOn();
    assert.equal((await conversation.run()).kind, 'finished');
    assert.equal(stored(conversation).execution_status, 'finished');
    await conversation.send('once more');
    await until(conversation, ({ execution_status }) => execution_status === 'idle');
    await conversation.close();
  },
);

test('the last state is in base_state.json when a conversation is closed at once', LIMIT, async () => {
  const { conversation } = await open('NeverConfirm');
  await conversation.send('go');
  await conversation.close();
  assert.equal(stored(conversation).leaf_event_id, conversation.state.leafId);
});

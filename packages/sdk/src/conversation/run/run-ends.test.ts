import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import * as z from 'zod';
import { call, openInMemory, statusesIn } from '../../../test-support/open-in-memory.ts';
import { rejection } from '../../agent/results.ts';
import type { ScriptedTurn } from '../../llm/playback/scripted-llm.ts';
import { defineTool } from '../../tool/define-tool.ts';
import type { Tool } from '../../tool/tool.ts';
import type { OpenOptions } from '../open-options.ts';

const USAGE = { prompt_tokens: 10, completion_tokens: 5 };
const acts: ScriptedTurn = { tool_calls: [call('a')], usage: USAGE };

/** A tool that has a gate of its own. */
const gated = (more: Partial<Tool>) =>
  defineTool({ name: 'gated', description: 'd', input: z.object({}), run: () => 'ok', ...more } as never);

async function begun(t: TestContext, turns: readonly ScriptedTurn[], more: Partial<OpenOptions> = {}) {
  const opened = await openInMemory(t, turns, more);
  await opened.conversation.send('go');
  return opened;
}

const gatedOptions = (more: Partial<Tool>): Partial<OpenOptions> => ({
  agent: { llm: { model: 'm' }, tools: [{ name: 'gated', params: {} }], systemPrompt: 's' },
  tools: [gated(more)],
});
const callsGate: ScriptedTurn = { tool_calls: [{ name: 'gated', arguments: {} }] };

test('a run begins with the status running, and a run that fails says why', async (t) => {
  const { conversation, log } = await begun(t, []);
  const { kind, ...rest } = await conversation.run();
  assert.equal(kind, 'error');
  assert.equal('code' in rest && rest.code, 'LLMBadRequestError');
  assert.deepEqual(statusesIn(log()), ['running', 'error']);
});

test('tokens that are used up end the run when no call is open', async (t) => {
  const { conversation } = await begun(t, [acts, acts], { limits: { maxTokens: 15 } });
  const outcome = await conversation.run();
  assert.deepEqual([outcome.kind, 'code' in outcome && outcome.code], ['limit', 'MaxTokensReached']);
  assert.equal(conversation.view.openActions().length, 0);
});

test('the gate of a tool is asked before a person is, and never in a replay', async (t) => {
  const asked: string[] = [];
  const gate = (answer: boolean) =>
    gatedOptions({
      needsApproval: async () => {
        asked.push(`${answer}`);
        return answer;
      },
    });
  const wants = await begun(t, [callsGate, { text: 'done' }], gate(true));
  assert.deepEqual([(await wants.conversation.run()).kind, asked.splice(0)], ['waiting', ['true']]);
  await wants.conversation.approve();
  assert.deepEqual([(await wants.conversation.run()).kind, asked.splice(0)], ['finished', []]);
  const lets = await begun(t, [callsGate, { text: 'done' }], gate(false));
  assert.deepEqual([(await lets.conversation.run()).kind, asked.splice(0)], ['finished', ['false']]);
  const replayed = await begun(t, [callsGate, { text: 'done' }], {
    ...gate(true),
    standIns: { execute: async (action) => rejection(action, 'replayed', 'user') },
  });
  assert.deepEqual([(await replayed.conversation.run()).kind, asked], ['finished', []]);
});

test('a user who ends the conversation refuses the calls that are open', async (t) => {
  const { conversation, log } = await begun(t, [acts], {
    oversight: { confirmation: { kind: 'AlwaysConfirm' } },
  });
  assert.equal((await conversation.run()).kind, 'waiting');
  await conversation.send('/exit');
  assert.equal((await conversation.run()).kind, 'finished');
  const refused = log().filter(({ kind }) => kind === 'UserRejectObservation');
  assert.equal(refused.length, 1);
  assert.deepEqual(
    log()
      .slice(-2)
      .map(({ source }) => source),
    ['environment', 'user'],
  );
});

test('an interrupt during a call ends the run as interrupted, with an answer to the call', async (t) => {
  const { conversation, log } = await begun(t, [acts, { text: 'done' }], {
    standIns: {
      execute: async () => {
        conversation.interrupt();
        throw new Error('cut');
      },
    },
  });
  assert.deepEqual(await conversation.run(), { kind: 'interrupted' });
  assert.deepEqual(conversation.view.openActions(), []);
  assert.deepEqual(statusesIn(log()).at(-1), 'paused');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cannedLlm, unaborted } from '../../../test-support/canned-llm.ts';
import { text } from '../../event/content.ts';
import { LLMError } from '../../llm/errors.ts';
import type { Prompt } from '../../llm/llm.ts';
import { type ModelCall, told } from './model-calls.ts';

const PROMPT: Prompt = { messages: [{ role: 'user', content: [text('private')] }], tools: [] };
const CALLED = { conversationId: 'c', usageId: 'agent', model: 'm' };
const ASKED = { ...CALLED, phase: 'asked', messages: 1, tools: 0 };

/** What is told of one call, without the time and the size. */
async function toldOf(answer: Parameters<typeof cannedLlm>[1][number]) {
  const calls: ModelCall[] = [];
  const llm = told(cannedLlm('m', [answer]), 'c', (call) => calls.push(call));
  await llm.complete(PROMPT, unaborted()).catch(() => undefined);
  return calls.map((call) => {
    assert.doesNotMatch(JSON.stringify(call), /private/);
    if (call.phase === 'asked') {
      const { bytes, ...rest } = call;
      assert.ok(bytes >= 'private'.length);
      return rest;
    }
    const { elapsedMs, ...rest } = call;
    assert.ok(elapsedMs >= 0);
    return rest;
  });
}

test('a call is told when it begins and when it is answered, with the ids of its calls', async () => {
  const usage = {
    promptTokens: 1,
    completionTokens: 2,
    cacheReadTokens: 3,
    cacheWriteTokens: 4,
    reasoningTokens: 5,
  };
  const answer = {
    id: 'r1',
    usage,
    costUsd: 0.5,
    finish: { reason: 'tool-calls', raw: 'tool_use' },
    message: {
      role: 'assistant',
      content: [text('private')],
      tool_calls: [{ id: 'a', name: 'echo', arguments: '{"x":"private"}', origin: 'completion' }],
    },
  } as const;
  assert.deepEqual(
    await toldOf({
      ...answer,
      message: {
        ...answer.message,
        content: [...answer.message.content],
        tool_calls: [...answer.message.tool_calls],
      },
    }),
    [
      ASKED,
      {
        ...CALLED,
        phase: 'answered',
        responseId: 'r1',
        finish: 'tool_use',
        usage,
        costUsd: 0.5,
        calls: [{ id: 'a', tool: 'echo' }],
      },
    ],
  );
});

test('a call that fails is told with the code, and the status if there is one', async () => {
  const failed = { ...CALLED, phase: 'failed' };
  const limited = new LLMError('LLMRateLimitError', 'private', { status: 429 });
  assert.deepEqual(await toldOf(limited), [ASKED, { ...failed, code: 'LLMRateLimitError', status: 429 }]);
  assert.deepEqual(await toldOf(new TypeError('private')), [ASKED, { ...failed, code: 'TypeError' }]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callLine } from './call-line.ts';

const now = new Date('2026-01-02T03:04:05.678Z');
const called = { conversationId: '01234567-89ab', usageId: 'agent', model: 'openai/x' };

test('a call to a model is a line when it begins and when it ends', () => {
  const usage = {
    promptTokens: 12_345,
    completionTokens: 67,
    cacheReadTokens: 10_000,
    cacheWriteTokens: 5,
    reasoningTokens: 8,
  };
  const calls = [{ id: 'call_1', tool: 'terminal' }];
  const answered = { ...called, phase: 'answered', elapsedMs: 1_234.4, responseId: 'r1\n' } as const;
  const lines = [
    callLine({ ...called, phase: 'asked', messages: 3, tools: 9, bytes: 4_567 }, now),
    callLine({ ...answered, finish: 'tool_calls', usage, costUsd: 0.0123, calls }, now),
    callLine({ ...answered, finish: 'stop', usage, costUsd: null, calls: [] }, now),
    callLine({ ...called, phase: 'failed', elapsedMs: 5, code: 'LLMRateLimitError', status: 429 }, now),
    callLine({ ...called, phase: 'failed', elapsedMs: 5, code: 'AbortError' }, now),
  ];
  const start = 'debug: 2026-01-02T03:04:05.678Z 01234567 agent (openai/x)';
  const tokens = '12.3k tokens in (10.0k cached, 5 written), 67 out (8 reasoning)';
  assert.deepEqual(
    lines.map((line) => line.replace(/r1[^,]+,/, 'r1,')),
    [
      `${start} asked: 3 messages, 9 tools, 4567 bytes`,
      `${start} answered after 1234 ms: response r1, finish tool_calls, ${tokens}, $0.0123, call call_1 of terminal`,
      `${start} answered after 1234 ms: response r1, finish stop, ${tokens}, cost unknown`,
      `${start} failed after 5 ms: LLMRateLimitError, status 429`,
      `${start} failed after 5 ms: AbortError`,
    ],
  );
  for (const line of lines) assert.equal(line.split('\n').length, 1);
});

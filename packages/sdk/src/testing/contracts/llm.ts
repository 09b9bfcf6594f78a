import assert from 'node:assert/strict';
import { test } from 'node:test';
import { text, textOf } from '../../event/content.ts';
import { deepFreeze } from '../../event/freeze.ts';
import type { Completion, Delta, LLM, Prompt } from '../../llm/llm.ts';

/** What the model behind an LLM is to answer. */
export interface ContractAnswer {
  readonly text?: string;
  readonly toolCalls?: readonly {
    readonly id: string;
    readonly name: string;
    readonly arguments: { readonly [name: string]: unknown };
  }[];
}

/** A model that answers the exchanges it was given, and how to release what it holds. */
export interface LlmUnderTest {
  readonly llm: LLM;
  close(): Promise<void>;
}

const PROMPT: Prompt = deepFreeze({
  messages: [
    { role: 'system', content: [text('Be brief.')] },
    { role: 'user', content: [text('List the files.')] },
  ],
  tools: [
    {
      name: 'terminal',
      description: 'Runs a command.',
      parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
    },
  ],
});

const WORDS: ContractAnswer = { text: 'There are two files: "a" and 漢字.' };
const CALLS: ContractAnswer = {
  text: 'I will look.',
  toolCalls: [
    { id: 'call_a', name: 'terminal', arguments: { command: 'ls -l' } },
    { id: 'call_b', name: 'terminal', arguments: { command: 'pwd' } },
  ],
};

/**
 * Registers the tests (of `node:test`) that every LLM must pass. `name` begins their names; `open` makes an LLM whose model
 * gives this answer to every request.
 */
export function llmContract(name: string, open: (answer: ContractAnswer) => Promise<LlmUnderTest>): void {
  const onLlm = (behaviour: string, answer: ContractAnswer, act: (llm: LLM) => Promise<void>): void => {
    test(`${name}: ${behaviour}`, async () => {
      const each = await open(answer);
      try {
        await act(each.llm);
      } finally {
        await each.close();
      }
    });
  };
  const signal = () => new AbortController().signal;

  onLlm('names its model and its purpose', WORDS, async ({ model, usageId }) => {
    assert.ok(model.name.length > 0 && usageId.length > 0);
  });

  onLlm('an answer in words ends the turn', WORDS, async (llm) => {
    const completion = await llm.complete(PROMPT, { signal: signal() });
    assertComplete(completion);
    assert.equal(wordsOf(completion), WORDS.text);
    assert.deepEqual([completion.message.tool_calls ?? [], completion.finish.reason], [[], 'stop']);
  });

  onLlm('calls of tools come in order, their arguments as JSON', CALLS, async (llm) => {
    const completion = await llm.complete(PROMPT, { signal: signal() });
    assertComplete(completion);
    assert.deepEqual(
      callsOf(completion),
      CALLS.toolCalls?.map(({ name: tool, arguments: args }) => [tool, args]),
    );
    const ids = (completion.message.tool_calls ?? []).map(({ id }) => id);
    assert.equal(new Set(ids).size, 2);
    assert.equal(completion.finish.reason, 'tool-calls');
  });

  for (const [kind, answer] of [
    ['words', WORDS],
    ['calls', CALLS],
  ] as const)
    onLlm(`a streamed answer is the same as one at once: ${kind}`, answer, async (llm) => {
      const deltas: Delta[] = [];
      const streamed = await llm.complete(PROMPT, {
        signal: signal(),
        onDelta: (delta) => deltas.push(delta),
      });
      const whole = await llm.complete(PROMPT, { signal: signal() });
      assertComplete(streamed);
      assert.equal(wordsOf(streamed), wordsOf(whole));
      assert.deepEqual(callsOf(streamed), callsOf(whole));
      assert.equal(streamed.finish.reason, whole.finish.reason);
      const heard = deltas.flatMap((delta) => (delta.type === 'text' ? [delta.text] : [])).join('');
      assert.equal(heard, wordsOf(whole));
    });

  onLlm('calls side by side do not disturb each other', CALLS, async (llm) => {
    const both = await Promise.all([
      llm.complete(PROMPT, { signal: signal() }),
      llm.complete(PROMPT, { signal: signal() }),
    ]);
    for (const completion of both) assert.equal(callsOf(completion).length, 2);
  });

  onLlm('an aborted signal rejects with its reason', WORDS, async (llm) => {
    const reason = new Error('enough');
    await assert.rejects(
      llm.complete(PROMPT, { signal: AbortSignal.abort(reason) }),
      (error) => error === reason,
    );
  });
}

function assertComplete({ id, message, usage, costUsd, latencyMs }: Completion): void {
  assert.ok(id.length > 0);
  assert.equal(message.role, 'assistant');
  for (const [what, tokens] of Object.entries(usage))
    assert.ok(Number.isInteger(tokens) && tokens >= 0, `${what}: ${tokens}`);
  assert.ok(usage.cacheReadTokens + usage.cacheWriteTokens <= usage.promptTokens);
  assert.ok(costUsd === null || costUsd >= 0);
  assert.ok(latencyMs >= 0);
}

function wordsOf({ message }: Completion): string {
  return textOf(message.content);
}

function callsOf({ message }: Completion): (readonly [string, unknown])[] {
  return (message.tool_calls ?? []).map((call) => [call.name, JSON.parse(call.arguments)]);
}

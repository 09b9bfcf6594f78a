import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cannedLlm, EMPTY, unaborted } from '../../../test-support/canned-llm.ts';
import { textOf } from '../../event/content.ts';
import { LLMError } from '../errors.ts';
import type { Prompt } from '../llm.ts';
import { withToolRefusal } from './tool-refusal.ts';

const WITH_TOOLS: Prompt = { ...EMPTY, tools: [{ name: 't', description: '', parameters: {} }] };

function refusal(message = 'registry/x does not support tools'): LLMError {
  return new LLMError('LLMBadRequestError', message);
}

test('when an endpoint refuses tools, they are described in the prompt from then on, and one note says so', async () => {
  const native = cannedLlm('native', [refusal()]);
  const prompted = cannedLlm('prompted', [{}]);
  let made = 0;
  const llm = withToolRefusal(native, async () => {
    made += 1;
    return prompted;
  });
  const notes: string[] = [];
  const options = { ...unaborted(), onNote: (note: string) => notes.push(note) };
  for (let i = 0; i < 2; i += 1)
    assert.equal(textOf((await llm.complete(WITH_TOOLS, options)).message.content), 'prompted');
  assert.deepEqual([native.asked.length, prompted.asked.length, made, notes.length], [1, 2, 1, 1]);
  assert.match(notes[0]!, /^native .*native_tool_calling = false/);
  assert.equal(llm.model, native.model);
});

for (const message of [
  'model does not support function calling',
  'tools are not supported',
  'Tool is not supported',
  'tool calling is not supported here',
  '"auto" tool choice requires --enable-auto-tool-choice',
  'Tool use is not supported in streaming mode',
  'No endpoints found that support tool use',
])
  test(`a refusal: ${message}`, async () => {
    const llm = withToolRefusal(cannedLlm('native', [refusal(message)]), async () =>
      cannedLlm('prompted', [{}]),
    );
    assert.equal(textOf((await llm.complete(WITH_TOOLS, unaborted())).message.content), 'prompted');
  });

test('other errors are thrown, and so is a refusal if no tools were sent', async () => {
  const toPrompted = () => Promise.reject(new Error('must not be made'));
  for (const error of [
    refusal('unknown parameter'),
    new LLMError('LLMServiceUnavailableError', 'does not support tools'),
    new Error('does not support tools'),
  ])
    await assert.rejects(
      withToolRefusal(cannedLlm('native', [error]), toPrompted).complete(WITH_TOOLS, unaborted()),
      error,
    );
  const error = refusal();
  await assert.rejects(
    withToolRefusal(cannedLlm('native', [error]), toPrompted).complete(EMPTY, unaborted()),
    error,
  );
});

test('a model that takes tools is asked as it is', async () => {
  const native = cannedLlm('native', [{}]);
  const llm = withToolRefusal(native, () => Promise.reject(new Error('must not be made')));
  await llm.complete(WITH_TOOLS, unaborted());
  await llm.complete(WITH_TOOLS, unaborted());
  assert.equal(native.asked.length, 2);
});

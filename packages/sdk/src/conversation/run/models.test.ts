import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cannedLlm, EMPTY, unaborted } from '../../../test-support/canned-llm.ts';
import { countingClock } from '../../../test-support/random-history.ts';
import { MemoryEventLog } from '../../log/memory-event-log.ts';
import { History } from '../state/history.ts';
import { noticed, refuseUnpriced } from './models.ts';
import { Recorder } from './recorder.ts';

test('listeners hear when a model is asked and when it has answered or failed', async () => {
  const log = new MemoryEventLog();
  const recorder = new Recorder(log, new History(log), countingClock());
  const heard: string[] = [];
  recorder.subscribe({ onNotice: ({ type }) => heard.push(type) });
  const model = cannedLlm('m', [
    async () => {
      heard.push('asked');
      return {};
    },
    new Error('failed'),
  ]);
  const llm = noticed(model, recorder);
  const options = unaborted();
  const { message } = await llm.complete(EMPTY, options);
  assert.deepEqual(message.content, [{ type: 'text', text: 'm', cache_prompt: false }]);
  assert.deepEqual(model.asked, [{ prompt: EMPTY, options }]);
  assert.deepEqual(heard, ['model-start', 'asked', 'model-end']);
  await assert.rejects(llm.complete(EMPTY, options), /failed/);
  assert.deepEqual(heard.slice(3), ['model-start', 'model-end']);
  assert.deepEqual([llm.usageId, llm.model], [model.usageId, model.model]);
});

test('a budget needs a model whose price is known', async () => {
  const refusal = {
    name: 'LLMError',
    code: 'LLMBadRequestError',
    message: /price of m is unknown/,
    remedy: /input_cost/,
  };
  await assert.rejects(refuseUnpriced(cannedLlm('m', [])), refusal);
  await assert.rejects(refuseUnpriced(cannedLlm('m', [], { pricing: async () => null })), refusal);
  const pricing = async () => ({ inputUsd: 1, outputUsd: 1 }) as never;
  assert.equal(await refuseUnpriced(cannedLlm('m', [], { pricing })), undefined);
});

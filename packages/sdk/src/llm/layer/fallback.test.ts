import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cannedLlm, EMPTY, unaborted } from '../../../test-support/canned-llm.ts';
import { textOf } from '../../event/content.ts';
import { LLMError } from '../errors.ts';
import { NO_USAGE, type Pricing } from '../llm.ts';
import { dearest, withFallback } from './fallback.ts';

const down = new LLMError('LLMServiceUnavailableError', 'first is down', { retryable: true });
const busy = new LLMError('LLMRateLimitError', 'second is busy', { retryable: true });
const refused = new LLMError('LLMAuthenticationError', 'wrong key');

test('the model of the fallback that answered is named', async () => {
  const [first, second, third] = [
    cannedLlm('first', [down]),
    cannedLlm('second', [busy]),
    cannedLlm('third', [{}]),
  ];
  const notes: string[] = [];
  const options = { ...unaborted(), onNote: (text: string) => notes.push(text) };
  const { message, model } = await withFallback(first, [second, third]).complete(EMPTY, options);
  assert.deepEqual([textOf(message.content), model], ['third', 'third']);
  assert.deepEqual(
    [first, second, third].map(({ asked }) => asked.length),
    [1, 1, 1],
  );
  assert.deepEqual(notes, [
    'first cannot be reached (LLMServiceUnavailableError): asking second',
    'first cannot be reached (LLMServiceUnavailableError): asking third',
  ]);
});

test('a model that answers is the only one that is asked, under its own name', async () => {
  const [first, second] = [cannedLlm('first', [{}]), cannedLlm('second', [{}])];
  const llm = withFallback(first, [second]);
  const { message, model } = await llm.complete(EMPTY, unaborted());
  assert.deepEqual([textOf(message.content), model, second.asked.length], ['first', undefined, 0]);
  assert.deepEqual([llm.model, llm.usageId], [first.model, first.usageId]);
});

test('an error that another model would also give is thrown at once', async () => {
  for (const error of [refused, new TypeError('a fault of ours')]) {
    const second = cannedLlm('second', [{}]);
    const llm = withFallback(cannedLlm('first', [error]), [second]);
    await assert.rejects(llm.complete(EMPTY, unaborted()), error);
    assert.equal(second.asked.length, 0);
  }
});

test('if all fail, the first one’s error is thrown; a fallback with a wrong key is skipped', async () => {
  const third = cannedLlm('third', [busy]);
  const llm = withFallback(cannedLlm('first', [down]), [cannedLlm('second', [refused]), third]);
  await assert.rejects(llm.complete(EMPTY, unaborted()), down);
  assert.equal(third.asked.length, 1);
});

test('an error that is not an LLMError, such as an abort, ends the search', async () => {
  const abort = new Error('enough');
  const third = cannedLlm('third', [{}]);
  const llm = withFallback(cannedLlm('first', [down]), [cannedLlm('second', [abort]), third]);
  await assert.rejects(llm.complete(EMPTY, unaborted()), abort);
  assert.equal(third.asked.length, 0);
});

const price =
  (usd: number | null): Pricing =>
  () =>
    usd;

test('a call is priced as the dearest of those that may answer it', async () => {
  const pricingOf = async (prices: readonly (Pricing | null | undefined)[]) => {
    const [first, ...others] = prices.map((each, i) =>
      cannedLlm(`${i}`, [{}], each === undefined ? {} : { pricing: async () => each }),
    );
    const pricing = await withFallback(first!, others).pricing?.();
    return pricing === null ? null : pricing?.(NO_USAGE);
  };
  assert.equal(await pricingOf([price(1), price(3), price(2)]), 3);
  assert.equal(await pricingOf([price(1), price(null)]), null);
  assert.equal(await pricingOf([price(1), null]), null);
  assert.equal(await pricingOf([price(1), undefined]), null);
});

test('each price is computed from the usage', () => {
  const byPrompt = dearest([({ promptTokens }) => promptTokens, ({ completionTokens }) => completionTokens]);
  assert.equal(byPrompt?.({ ...NO_USAGE, promptTokens: 2, completionTokens: 7 }), 7);
  assert.equal(byPrompt?.({ ...NO_USAGE, promptTokens: 8, completionTokens: 7 }), 8);
});

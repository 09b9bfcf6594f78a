import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AUTO_CONTINUE, type AutoContinue, replyOf } from './auto-continue.ts';

test('the reply is the default, the given words, or what a function makes of what was said', async () => {
  const cases: readonly (readonly [AutoContinue | undefined, string | undefined])[] = [
    [undefined, undefined],
    [false, undefined],
    [true, AUTO_CONTINUE],
    ['go on', 'go on'],
    ['', ''],
    [(said) => `${said}!`, 'shall I?!'],
    [async (said) => `${said}?`, 'shall I??'],
    [() => undefined, undefined],
  ];
  for (const [autoContinue, reply] of cases)
    assert.equal(await replyOf(autoContinue)?.('shall I?'), reply, String(autoContinue));
});

test('without replies there is no function to ask', () => {
  assert.deepEqual([replyOf(undefined), replyOf(false)], [undefined, undefined]);
  assert.match(AUTO_CONTINUE, /finish/);
});

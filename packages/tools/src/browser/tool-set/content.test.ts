import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { sliceOf } from './content.ts';

function slices(whole: string): string[] {
  const found: string[] = [];
  for (let start: number | null = 0; start !== null; ) {
    const { text, next } = sliceOf(whole, start);
    found.push(text);
    start = next;
  }
  return found;
}

test('slices end at a paragraph, else at a sentence, else where they are full', () => {
  const paragraph = `${'x'.repeat(29_700)}\n\n${'y'.repeat(1_000)}`;
  assert.deepEqual(slices(paragraph), [`${'x'.repeat(29_700)}\n\n`, 'y'.repeat(1_000)]);
  const sentence = `${'x'.repeat(29_900)}. ${'y'.repeat(1_000)}`;
  assert.deepEqual(slices(sentence), [`${'x'.repeat(29_900)}. `, 'y'.repeat(1_000)]);
  const early = `${'x'.repeat(29_000)}\n\n${'y'.repeat(850)}. ${'z'.repeat(1_000)}`;
  assert.equal(slices(early)[0]?.length, 29_854);
  assert.deepEqual(
    slices('x'.repeat(70_000)).map(({ length }) => length),
    [30_000, 30_000, 10_000],
  );
  assert.deepEqual(slices(''), ['']);
});

test('slices join to the whole, and none is longer than 30,000', () => {
  const words = fc.array(fc.constantFrom('word'.repeat(40), '. ', '\n\n', '! ', 'x'), { maxLength: 1_500 });
  fc.assert(
    fc.property(words, (parts) => {
      const whole = parts.join('');
      const found = slices(whole);
      assert.equal(found.join(''), whole);
      assert.ok(found.every(({ length }) => length <= 30_000));
    }),
    { numRuns: 30 },
  );
});

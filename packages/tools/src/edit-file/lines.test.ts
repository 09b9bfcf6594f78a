import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { changedLines, likeliest } from './lines.ts';

test('changed lines are shown with their context', () => {
  assert.deepEqual(changedLines(['a', 'b', 'c'], ['a', 'x', 'c', 'd']), [' a', '-b', '+x', ' c', '+d']);
  assert.deepEqual(changedLines([], ['a']), ['+a']);
  assert.deepEqual(changedLines(['a'], []), ['-a']);
});

test('property: kept and removed lines are the old text, kept and added lines the new one', () => {
  const some = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 });
  fc.assert(
    fc.property(some, some, (before, after) => {
      const changes = changedLines(before, after);
      const side = (sign: string) => changes.filter((line) => line[0] !== sign).map((line) => line.slice(1));
      assert.deepEqual([side('+'), side('-')], [before, after]);
    }),
  );
});

test('the most similar pieces of a file come first', () => {
  const file = Array.from({ length: 45 }, (_, i) => `line ${i}`);
  const found = likeliest(file, ['  line 21', 'line 22  ', 'line 41'], { size: 20, count: 2 });
  assert.deepEqual(
    found.map(({ first, lines, likeness }) => [first, lines.length, likeness]),
    [
      [41, 5, 0.2],
      [21, 20, 0.1],
    ],
  );
});

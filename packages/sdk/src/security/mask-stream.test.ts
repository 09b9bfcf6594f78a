import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { HIDDEN, masker } from './mask.ts';
import { maskStream } from './mask-stream.ts';

function masked(secrets: readonly string[], pieces: readonly string[]): string {
  const stream = maskStream(secrets);
  return pieces.map((piece) => stream.push(piece)).join('') + stream.end();
}

test('a secret that is split between pieces is hidden; nothing of it is shown before', () => {
  const stream = maskStream(['hunter2-hunter2']);
  assert.equal(stream.push('key: hunter2-'), 'key: ');
  assert.equal(stream.push('hunter2.'), `${HIDDEN}.`);
  assert.equal(stream.end(), '');
});

test('what only began like a secret is shown once that is clear', () => {
  const stream = maskStream(['hunter2-hunter2']);
  assert.equal(stream.push('a hunt'), 'a ');
  assert.equal(stream.push('ing trip to the hun'), 'hunting trip to the ');
  assert.equal(stream.end(), 'hun');
});

test('after a gap, the end of a secret is not shown', () => {
  const stream = maskStream(['top-secret-key']);
  assert.equal(stream.push('first top-sec'), 'first ');
  assert.equal(stream.push('secret-key and more', false), ' and more');
  assert.equal(stream.push('other words', false), 'other words');
});

test('without secrets, pieces pass through', () => {
  assert.equal(masked([], ['a', 'b']), 'ab');
  assert.equal(masked(['short'], ['sho', 'rt']), 'short');
});

test('property: however a text is cut into pieces, it is masked as in one piece', () => {
  const letters = (minLength: number, maxLength: number) =>
    fc.string({ unit: fc.constantFrom('x', 'y', '\n'), minLength, maxLength });
  fc.assert(
    fc.property(
      fc.array(letters(6, 9), { minLength: 1, maxLength: 3 }),
      fc.array(letters(0, 12), { maxLength: 6 }),
      (secrets, pieces) => {
        assert.equal(masked(secrets, pieces), masker(secrets)(pieces.join('')));
      },
    ),
    { numRuns: 1_000 },
  );
});

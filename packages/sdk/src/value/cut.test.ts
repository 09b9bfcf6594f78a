import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { headOf, tailOf } from './cut.ts';

test('a cut leaves out a surrogate pair that it would split', () => {
  assert.deepEqual([headOf('a👋b', 1), headOf('a👋b', 2), headOf('a👋b', 3)], ['a', 'a', 'a👋']);
  assert.deepEqual([tailOf('a👋b', 1), tailOf('a👋b', 2), tailOf('a👋b', 3)], ['b', 'b', '👋b']);
  assert.deepEqual(
    [headOf('👋', 0), tailOf('👋', 0), headOf('👋', 9), tailOf('👋', 9)],
    ['', '', '👋', '👋'],
  );
  assert.deepEqual([headOf('👋👋', 2.5), tailOf('👋👋', 3.5)], ['👋', '👋']);
});

test('a half that was alone before stays as it is', () => {
  assert.deepEqual([headOf('\ud83dab', 2), tailOf('ab\ude00', 2)], ['\ud83da', 'b\ude00']);
});

test('property: as long as asked, less one at most, and well-formed if the text is', () => {
  const texts = fc.string({ unit: fc.constantFrom('a', '漢', '👋'), maxLength: 20 });
  fc.assert(
    fc.property(texts, fc.nat(25), (text, most) => {
      for (const cut of [headOf(text, most), tailOf(text, most)]) {
        assert.ok(cut.isWellFormed());
        const missing = Math.min(most, text.length) - cut.length;
        assert.ok(missing === 0 || missing === 1);
      }
      assert.ok(text.startsWith(headOf(text, most)) && text.endsWith(tailOf(text, most)));
    }),
  );
});

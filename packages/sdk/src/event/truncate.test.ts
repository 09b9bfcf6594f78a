import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { truncateMiddle } from './truncate.ts';

test('head, notice, tail; the odd character goes to the head', () => {
  assert.equal(truncateMiddle('0123456789', 8, '...'), '012...89');
  assert.equal(truncateMiddle('0123456789', 10, '...'), '0123456789');
  assert.equal(truncateMiddle('0123456789', 2, '...'), '..');
});

test('a cut splits no surrogate pair', () => {
  assert.equal(truncateMiddle('👋👋👋👋', 5, '.'), '👋.👋');
  assert.equal(truncateMiddle('a👋👋👋👋b', 7, '.'), 'a👋.👋b');
  assert.equal(truncateMiddle('👋👋👋👋', 4, '.'), '👋.');
});

test('property: never longer than the limit, and unchanged if it fits', () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(50), fc.string(), (text, limit, notice) => {
      const result = truncateMiddle(text, limit, notice);
      assert.ok(result.length <= limit);
      if (text.length <= limit) assert.equal(result, text);
    }),
  );
});

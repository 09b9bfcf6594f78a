import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editDistance, nearest } from './nearest.ts';

test('a swap of neighbours is one edit', () => assert.equal(editDistance('modle', 'model'), 1));

test('the nearest name is suggested, and a distant one is not', () => {
  const names = ['model', 'max-iterations', 'max-budget', 'json'];
  const found = ['modell', 'max-iteration', 'budget', 'jsn', 'max-b', 'zzz'].map((word) =>
    nearest(word, names),
  );
  assert.deepEqual(found, ['model', 'max-iterations', undefined, 'json', 'max-budget', undefined]);
});

test('a word of a megabyte has no nearest name, and is not compared', () => {
  // Letter by letter this would take gigabytes.
  assert.equal(nearest('a'.repeat(1_000_000), ['terminal', 'a'.repeat(900)]), undefined);
});

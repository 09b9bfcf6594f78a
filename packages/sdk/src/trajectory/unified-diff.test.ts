import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { diffLines, type Edit, unifiedDiff } from './unified-diff.ts';

const side = (edits: readonly Edit[], other: '-' | '+') =>
  edits.filter((edit) => edit.op !== other).map((edit) => edit.line);

test('a diff leads from the old lines to the new ones, whatever they are', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 });
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const edits = diffLines(before, after);
      assert.deepEqual([side(edits, '+'), side(edits, '-')], [before, after]);
    }),
  );
});

test('the shortest way is found', () => {
  const edits = diffLines([...'abcabba'], [...'cbabac']);
  assert.equal(edits.filter((edit) => edit.op !== ' ').length, 5);
});

test('a change is shown with three lines of context and counted lines', () => {
  const before = ['1', '2', '3', '4', '5', '6', '7', '8', '9', ''].join('\n');
  assert.deepEqual(unifiedDiff(before, before.replace('5', 'five')), [
    '@@ -2,7 +2,7 @@',
    ' 2',
    ' 3',
    ' 4',
    '-5',
    '+five',
    ' 6',
    ' 7',
    ' 8',
  ]);
});

test('distant changes stand in hunks of their own, near ones in one', () => {
  const lines = Array.from({ length: 30 }, (_, i) => `line ${i}`);
  const change = (...at: number[]) => lines.map((line, i) => (at.includes(i) ? `${line}!` : line)).join('\n');
  const headers = (after: string) =>
    unifiedDiff(lines.join('\n'), after).filter((line) => line.startsWith('@@'));
  assert.deepEqual(headers(change(5, 25)), ['@@ -3,7 +3,7 @@', '@@ -23,7 +23,7 @@']);
  assert.deepEqual(headers(change(5, 9)), ['@@ -3,11 +3,11 @@']);
});

test('new and emptied files, and no change at all', () => {
  assert.deepEqual(unifiedDiff('', 'a\nb\n'), ['@@ -0,0 +1,2 @@', '+a', '+b']);
  assert.deepEqual(unifiedDiff('a\n', ''), ['@@ -1 +0,0 @@', '-a']);
  assert.deepEqual(unifiedDiff('a\n', 'a\n'), []);
});

test('files that differ everywhere are shown as replaced, without looking for the shortest way', () => {
  const before = Array.from({ length: 3000 }, (_, i) => `old ${i}`);
  const after = Array.from({ length: 3000 }, (_, i) => `new ${i}`);
  const edits = diffLines(before, after);
  assert.deepEqual([side(edits, '+'), side(edits, '-')], [before, after]);
});

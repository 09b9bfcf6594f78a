import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { unifiedDiff } from './unified-diff.ts';

const linesOf = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/** The text that a diff makes of another, taken from its line numbers alone. */
function applied(before: string, diff: readonly string[]): string[] {
  const old = linesOf(before);
  const made: string[] = [];
  let at = 0;
  for (const line of diff) {
    const [, start = '', count = '1'] = /^@@ -(\d+)(?:,(\d+))? /.exec(line) ?? [];
    if (start !== '') {
      const first = count === '0' ? Number(start) : Number(start) - 1;
      made.push(...old.slice(at, first));
      at = first;
      continue;
    }
    if (!line.startsWith('+')) {
      assert.equal(old[at], line.slice(1));
      at += 1;
    }
    if (!line.startsWith('-')) made.push(line.slice(1));
  }
  return [...made, ...old.slice(at)];
}

test('applying the diff to the old lines gives the new lines', () => {
  const texts = fc
    .array(fc.constantFrom('a', 'b', 'c', '-d', ''), { maxLength: 30 })
    .map((lines) => lines.map((line) => `${line}\n`).join(''));
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      assert.deepEqual(applied(before, unifiedDiff(before, after)), linesOf(after));
    }),
  );
});

test('the diff is the shortest one', () => {
  const diff = unifiedDiff([...'abcabba'].join('\n'), [...'cbabac'].join('\n'));
  assert.equal(diff.filter((line) => /^[-+]/.test(line)).length, 5);
});

test('a change is shown with three lines of context and line numbers', () => {
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

test('distant changes have separate hunks, close ones share one', () => {
  const lines = Array.from({ length: 30 }, (_, i) => `line ${i}`);
  const change = (...at: number[]) => lines.map((line, i) => (at.includes(i) ? `${line}!` : line)).join('\n');
  const headers = (after: string) =>
    unifiedDiff(lines.join('\n'), after).filter((line) => line.startsWith('@@'));
  assert.deepEqual(headers(change(5, 25)), ['@@ -3,7 +3,7 @@', '@@ -23,7 +23,7 @@']);
  assert.deepEqual(headers(change(5, 9)), ['@@ -3,11 +3,11 @@']);
});

test('new files, emptied files, and no change', () => {
  assert.deepEqual(unifiedDiff('', 'a\nb\n'), ['@@ -0,0 +1,2 @@', '+a', '+b']);
  assert.deepEqual(unifiedDiff('a\n', ''), ['@@ -1 +0,0 @@', '-a']);
  assert.deepEqual(unifiedDiff('a\n', 'a\n'), []);
});

test('files that differ everywhere are shown as replaced, between their common lines', () => {
  const text = (word: string) =>
    ['1', '2', '3', '4', ...Array.from({ length: 3000 }, (_, i) => `${word} ${i}`), '5', '6'].join('\n');
  const diff = unifiedDiff(text('old'), text('new'));
  assert.deepEqual(diff.slice(0, 5), ['@@ -2,3005 +2,3005 @@', ' 2', ' 3', ' 4', '-old 0']);
  assert.deepEqual(diff.slice(-3), ['+new 2999', ' 5', ' 6']);
  assert.deepEqual(applied(text('old'), diff), linesOf(text('new')));
});

test('a line break at the end of a text is ignored', () => {
  assert.deepEqual(unifiedDiff('a\nb', 'a\nb\n'), []);
  assert.deepEqual(unifiedDiff('a', 'a\nb\n'), ['@@ -1 +1,2 @@', ' a', '+b']);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDocument, wordList } from './frontmatter.ts';

const head = async (yaml: string) => (await parseDocument(`---\n${yaml}\n---\nbody\n`)).attributes;

test('a head is YAML: comments, types, quotes, folded lines and nested values', async () => {
  assert.deepEqual(
    await head(
      'name: a # not part of it\ncount: 3\nyes: yes\nquoted: "a\\u0041"\nlong: one\n  two\nlist:\n- x\n- y: {z: 1}',
    ),
    { name: 'a', count: 3, yes: 'yes', quoted: 'aA', long: 'one two', list: ['x', { y: { z: 1 } }] },
  );
  assert.deepEqual(await head(''), {});
});

test('the body follows the head; a file without a head is all body', async () => {
  assert.equal((await parseDocument('\uFEFF---\r\nname: a\r\n---\r\nbody\r\n')).body, 'body\n');
  assert.equal((await parseDocument('---\n\ntext')).body, '---\n\ntext');
});

test('a fault names its line in the file', async () => {
  await assert.rejects(head('name: a\nname: b'), { name: 'SyntaxError', message: /^line 3: / });
  await assert.rejects(head('- a'), { name: 'SyntaxError', message: /^line 2: .*not a list of keys/ });
  await assert.rejects(parseDocument('---\nname: a\n'), { message: /^line 1: .*not closed/ });
});

test('a head that is too long is rejected without being parsed', async () => {
  await assert.rejects(head(`list: [${'a, '.repeat(30_000)}]`), { message: /^line 2: .*at most 65536/ });
  assert.equal((await head(`text: ${'a'.repeat(60_000)}`))['text'], 'a'.repeat(60_000));
});

test('a list of words may be written with commas', () => {
  assert.deepEqual(wordList('a, b,,c'), ['a', 'b', 'c']);
  assert.deepEqual(wordList(['a', 1, null]), ['a', '1']);
  assert.equal(wordList([{ a: 1 }]), undefined);
});

import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { KeptResponses, responsesIn } from './responses.ts';

function folder(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'longhand-responses-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

test('responses are found by their ids, after reopening too, and others are not', (t) => {
  const directory = folder(t);
  for (const id of ['one', 'tw"o\\']) {
    const kept = new KeptResponses(directory);
    kept.keep(id, { id, text: 'größer\n' });
    kept.close();
  }
  const find = responsesIn(directory);
  assert.deepEqual(find('one'), { id: 'one', text: 'größer\n' });
  assert.deepEqual(find('tw"o\\'), { id: 'tw"o\\', text: 'größer\n' });
  assert.equal(find('three'), undefined);
  assert.equal(statSync(join(directory, 'responses.jsonl')).mode & 0o777, 0o600);
});

test('nothing is created before the first response, and a folder without any has none', (t) => {
  const directory = folder(t);
  new KeptResponses(directory).close();
  assert.deepEqual(readdirSync(directory), []);
  assert.equal(responsesIn(directory)('one'), undefined);
});

test('a torn line is ignored, and the next one does not continue it', (t) => {
  const directory = folder(t);
  appendFileSync(join(directory, 'responses.jsonl'), '{"id":"torn","response":{"te');
  const kept = new KeptResponses(directory);
  kept.keep('whole', { a: 1 });
  kept.close();
  const find = responsesIn(directory);
  assert.deepEqual([find('torn'), find('whole')], [undefined, { a: 1 }]);
});

test('the space is bounded: for one response, and for all of them', (t) => {
  const directory = folder(t);
  const kept = new KeptResponses(directory, { maxBytes: 200, maxFileBytes: 1_000 });
  kept.keep('large', { text: 'x'.repeat(500) });
  for (let i = 0; i < 100; i += 1) kept.keep(`id-${i}`, { text: 'x'.repeat(100) });
  kept.close();
  const sizes = readdirSync(directory).map((name) => statSync(join(directory, name)).size);
  assert.deepEqual([sizes.length, sizes.every((size) => size <= 1_000)], [2, true]);
  const find = responsesIn(directory);
  assert.deepEqual([find('large'), find('id-0')], [undefined, undefined]);
  assert.deepEqual(find('id-99'), { text: 'x'.repeat(100) });
  assert.ok(find('id-93'));
});

const FILES = ['responses.jsonl', 'responses.1.jsonl'] as const;
const contentsOf = (directory: string) =>
  Object.fromEntries(
    readdirSync(directory).map((name) => [name, readFileSync(join(directory, name), 'utf8')]),
  );

test('a response of just the largest size is kept; of a larger one the size is noted', (t) => {
  const directory = folder(t);
  const line = '{"id":"a","response":{"b":1}}';
  const kept = new KeptResponses(directory, { maxBytes: line.length, maxFileBytes: 1_000 });
  kept.keep('a', { b: 1 });
  kept.keep('a', { b: 10 });
  kept.close();
  assert.deepEqual(contentsOf(directory), { [FILES[0]]: `${line}\n{"id":"a","bytes":30}\n` });
});

test('a full file takes the place of the older one, whoever filled it', (t) => {
  const directory = folder(t);
  const line = (id: number) => `{"id":"${id}","response":{}}\n`;
  const keep = (...ids: readonly number[]) => {
    const kept = new KeptResponses(directory, { maxBytes: 100, maxFileBytes: 2 * line(0).length });
    for (const id of ids) kept.keep(String(id), {});
    kept.close();
    kept.close();
  };
  keep(1);
  keep(2);
  assert.deepEqual(contentsOf(directory), { [FILES[0]]: line(1) + line(2) });
  keep(3, 4, 5);
  assert.deepEqual(contentsOf(directory), { [FILES[0]]: line(5), [FILES[1]]: line(3) + line(4) });
});

test('a line that is larger than a file has a file of its own', (t) => {
  const directory = folder(t);
  const kept = new KeptResponses(directory, { maxBytes: 100, maxFileBytes: 1 });
  for (const id of ['a', 'b']) kept.keep(id, {});
  kept.close();
  const line = (id: string) => `{"id":"${id}","response":{}}\n`;
  assert.deepEqual(contentsOf(directory), { [FILES[0]]: line('b'), [FILES[1]]: line('a') });
});

test('a torn line is ended in the file, and counts', (t) => {
  const directory = folder(t);
  writeFileSync(join(directory, FILES[0]), '{"id":');
  const kept = new KeptResponses(directory, { maxBytes: 100, maxFileBytes: 32 });
  kept.keep('abc', {});
  kept.close();
  const line = '{"id":"abc","response":{}}\n';
  assert.deepEqual(contentsOf(directory), { [FILES[0]]: line, [FILES[1]]: '{"id":\n' });
});

test('of two responses with one id the later counts, and only objects are responses', (t) => {
  const directory = folder(t);
  writeFileSync(
    join(directory, FILES[1]),
    '{"id":"a","response":{"b":1}}\n{"id":"old","response":{"b":1}}\n',
  );
  const lines = [
    '{"id":"a","response":{"b":2}}',
    '{"id":"list","response":[1]}',
    '{"id":"torn","response":{}',
  ];
  writeFileSync(join(directory, FILES[0]), lines.join('\n'));
  const find = responsesIn(directory);
  assert.deepEqual(['a', 'old', 'list', 'torn'].map(find), [{ b: 2 }, { b: 1 }, undefined, undefined]);
  rmSync(join(directory, FILES[0]));
  assert.deepEqual(find('a'), { b: 2 });
});

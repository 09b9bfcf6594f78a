import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
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

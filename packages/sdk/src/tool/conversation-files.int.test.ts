import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { localConversationFiles } from './conversation-files.ts';

function folder(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'longhand-files-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

const outputs = (directory: string) => readdirSync(join(directory, 'observations')).sort();

test('outputs beyond the bound replace the oldest ones; other files are not touched', (t) => {
  const directory = folder(t);
  const files = localConversationFiles(directory, 100);
  files.write('TASKS.json', 'x'.repeat(500));
  files.write('observations/a', 'x'.repeat(40));
  files.write('observations/b', 'x'.repeat(40));
  files.write('observations/a', 'y'.repeat(40)); // now the newest
  files.write('observations/c', 'x'.repeat(40));
  assert.deepEqual(outputs(directory), ['a', 'c']);
  const piece = files.create('observations/d');
  for (let i = 0; i < 9; i += 1) piece.write(Buffer.alloc(10));
  piece.close();
  assert.deepEqual([outputs(directory), files.read('TASKS.json')?.length], [['d'], 500]);
});

test('outputs of earlier sessions count, the oldest first', (t) => {
  const directory = folder(t);
  const before = localConversationFiles(directory, 100);
  for (const [i, name] of ['z', 'y', 'x'].entries()) {
    before.write(`observations/${name}`, 'x'.repeat(30));
    utimesSync(join(directory, 'observations', name), 1_000 + i, 1_000 + i);
  }
  localConversationFiles(directory, 100).write('observations/new', 'x'.repeat(30));
  assert.deepEqual(outputs(directory), ['new', 'x', 'y']);
});

test('one output larger than the bound is kept, and nothing else', (t) => {
  const directory = folder(t);
  const files = localConversationFiles(directory, 100);
  files.write('observations/a', 'x');
  files.write('observations/big', 'x'.repeat(200));
  assert.deepEqual(outputs(directory), ['big']);
});

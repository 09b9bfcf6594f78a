import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { localConversationFiles } from '@longhand/sdk/internal';
import { temporaryFiles } from '../temporary-files.ts';
import { EditHistory } from './history.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-history-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const edit = (n: number) => ({ before: Buffer.from(`before ${n}`), after: Buffer.from(`after ${n}`) });
const lastOf = (history: EditHistory) => history.last('/a')?.before?.toString();

test('the newest entries are kept, and another history of the folder finds them', () => {
  const history = new EditHistory(localConversationFiles(folder), 5);
  for (let n = 0; n < 6; n += 1) history.push('/a', edit(n));
  const again = new EditHistory(localConversationFiles(folder), 5);
  assert.equal(lastOf(again), 'before 5');
  again.pop('/a');
  for (const n of [4, 3, 2, 1]) {
    assert.equal(lastOf(history), `before ${n}`);
    history.pop('/a');
  }
  assert.equal(history.last('/a'), undefined);
  history.pop('/a');
  history.push('/a', edit(9));
  assert.equal(lastOf(history), 'before 9');
});

test('an entry records the resulting content and whether the file existed before', () => {
  const history = new EditHistory(localConversationFiles(folder));
  history.push('/a', { before: null, after: Buffer.from('x') });
  history.push('/b', edit(1));
  const created = history.last('/a');
  assert.deepEqual(
    [created?.before, created?.isAfter(Buffer.from('x')), created?.isAfter(Buffer.from('y'))],
    [null, true, false],
  );
  assert.equal(history.last('/b')?.before?.toString(), 'before 1');
});

test('the history of a conversation that is not stored has a folder of its own, which is removed', (t) => {
  const { TMPDIR } = process.env;
  process.env['TMPDIR'] = folder;
  t.after(() => {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
  });
  const files = temporaryFiles();
  const history = new EditHistory(files);
  assert.equal(history.last('/a'), undefined);
  assert.deepEqual(readdirSync(folder), []);
  history.push('/a', edit(1));
  assert.equal(lastOf(history), 'before 1');
  assert.equal(readdirSync(folder).length, 1);
  files.close();
  assert.deepEqual(readdirSync(folder), []);
});

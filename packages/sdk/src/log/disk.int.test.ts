import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { nodeDisk as disk } from './disk.ts';

function folder(t: TestContext): (name: string) => string {
  const path = mkdtempSync(join(tmpdir(), 'longhand-disk-'));
  t.after(() => rmSync(path, { recursive: true }));
  return (name) => join(path, name);
}

test('makeFolder creates missing ancestors, and reports whether the folder is new', (t) => {
  const at = folder(t);
  assert.equal(disk.makeFolder(at('a/b')), true);
  assert.equal(disk.makeFolder(at('a/b')), false);
  assert.deepEqual(disk.list(at('a')), ['b']);
});

test('a file is created, written, synced, renamed and read as UTF-8', async (t) => {
  const at = folder(t);
  const descriptor = disk.create(at('new'), 0o600);
  disk.write(descriptor, Buffer.from('一 '));
  disk.write(descriptor, Buffer.from('two'));
  disk.sync(descriptor);
  await disk.syncInBackground(descriptor);
  disk.close(descriptor);
  disk.rename(at('new'), at('file'));
  assert.equal(disk.read(at('file')), '一 two');
  assert.equal(statSync(at('file')).mode & 0o777, 0o600);
  disk.close(disk.create(at('file'), 0o600));
  assert.equal(readFileSync(at('file'), 'utf8'), '');
});

test('a folder can be opened and synced', (t) => {
  const at = folder(t);
  const descriptor = disk.open(at('.'));
  disk.sync(descriptor);
  disk.close(descriptor);
  assert.throws(() => disk.sync(descriptor), { code: 'EBADF' });
});

test('a named pipe is read as empty, without waiting for a writer', (t) => {
  const at = folder(t);
  if (spawnSync('mkfifo', [at('pipe')]).status !== 0) return t.skip('needs mkfifo');
  assert.equal(disk.read(at('pipe')), '');
});

test('removing a missing file does nothing; other errors keep their codes', async (t) => {
  const at = folder(t);
  mkdirSync(at('a'));
  disk.remove(at('none'));
  assert.throws(() => disk.read(at('none')), { code: 'ENOENT' });
  assert.throws(() => disk.read(at('a')), { code: 'EISDIR' });
  assert.throws(() => disk.list(at('none')), { code: 'ENOENT' });
  assert.throws(() => disk.create(at('none/f'), 0o644), { code: 'ENOENT' });
  await assert.rejects(disk.syncInBackground(9_999), { code: 'EBADF' });
});

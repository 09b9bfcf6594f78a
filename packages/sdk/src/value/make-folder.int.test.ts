import assert from 'node:assert/strict';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openLocalWorkspace } from '../workspace/local-workspace.ts';
import { makeFolder, makeFolderAsync } from './make-folder.ts';

function place(t: TestContext): string {
  const root = mkdtempSync(join(tmpdir(), 'longhand-folder-test-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

const WAYS = {
  'at once': async (path: string, mode?: number) => void makeFolder(path, mode),
  'in the background': makeFolderAsync,
};

for (const [how, make] of Object.entries(WAYS)) {
  test(`a folder is created with its ancestors, and one that exists is kept: ${how}`, async (t) => {
    const root = place(t);
    await make(join(root, 'a/b/c'), 0o700);
    for (const each of ['a', 'a/b', 'a/b/c']) assert.equal(statSync(join(root, each)).mode & 0o777, 0o700);
    await make(join(root, 'a/b'));
    await make('/');
    assert.equal(statSync(join(root, 'a/b')).mode & 0o777, 0o700);
    await Promise.all([make(join(root, 'x/y')), make(join(root, 'x/y')), make(join(root, 'x/z'))]);
  });

  test(`what cannot be created is an error: ${how}`, async (t) => {
    const root = place(t);
    writeFileSync(join(root, 'file'), '');
    await assert.rejects(make(join(root, 'file')), { code: 'EEXIST' });
    await assert.rejects(make(join(root, 'file/below')), { code: 'ENOTDIR' });
    await assert.rejects(make(''), { code: 'ENOENT' });
  });

  test(`below /proc no folder can be created, and that is said: ${how}`, async (t) => {
    if (process.platform !== 'linux') return t.skip('needs /proc');
    await assert.rejects(make('/proc/longhand/below'), { code: 'ENOENT' });
  });
}

test('whether the folder is new', (t) => {
  const root = place(t);
  assert.deepEqual([makeFolder(join(root, 'a/b')), makeFolder(join(root, 'a/b'))], [true, false]);
  mkdirSync(join(root, 'c'));
  assert.equal(makeFolder(join(root, 'c')), false);
});

test('a tool that creates a folder below /proc gets an error', async (t) => {
  if (process.platform !== 'linux') return t.skip('needs /proc');
  const workspace = openLocalWorkspace(place(t));
  await assert.rejects(workspace.makeDirectory('/proc/longhand/below'), { code: 'not_found' });
  await workspace.close();
});

test('no code uses the recursive mkdir of Node', () => {
  const packages = join(import.meta.dirname, '../../..');
  const using = globSync('*/src/**/*.ts', { cwd: packages, exclude: (path) => path.endsWith('.test.ts') });
  assert.ok(using.length > 100);
  assert.deepEqual(
    using.filter((path) =>
      /\bmkdir(Sync)?\([^;]*recursive: true/.test(readFileSync(join(packages, path), 'utf8')),
    ),
    [],
  );
});

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { mergeChunks } from './merge-chunks.ts';

const SOURCES = {
  'main.js': `export const main = async () => [
    ...(await (await import('./run.js')).run()),
    ...(await import('./rare.js')).rare(),
  ];`,
  'run.js': `import { next } from './counter.js'; import { words } from './words.js';
    export const run = async () => [words(next()), (await import('./task.js')).task()];`,
  'task.js': `import { next } from './counter.js'; import { list } from './list.js'; export const task = () => list(next());`,
  'rare.js': `import { next as another, last } from './counter.js'; import { words as list } from './words.js';
    export const rare = () => [list(another()), last];`,
  'counter.js': 'export let last = 0; export const next = () => (last += 1);',
  'words.js': "export const words = (n) => 'word ' + n;",
  'list.js':
    "import { words } from './words.js'; export const list = (n) => words(n) + '!'; globalThis.lists = (globalThis.lists ?? 0) + 1;",
};

test('what is always loaded is one file for each group; others share its modules, and each is evaluated once', async (t) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'longhand-merge-')));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  for (const [name, code] of Object.entries(SOURCES)) writeFileSync(join(root, name), code);
  const output = { absWorkingDir: root, format: 'esm', minifyWhitespace: true } as const;
  const { metafile } = await build({
    ...output,
    entryPoints: ['main.js'],
    outdir: 'out',
    bundle: true,
    splitting: true,
    metafile: true,
  });
  await mergeChunks(join(root, 'out'), metafile, [['run.js'], ['task.js']], output);
  const files = readdirSync(join(root, 'out')).map((file) => file.replace(/-[A-Z0-9]{8}/, ''));
  assert.deepEqual(files.sort(), ['core-0.js', 'core-1.js', 'main.js', 'rare.js', 'run.js', 'task.js']);
  writeFileSync(join(root, 'out/package.json'), '{"type":"module"}');
  const { main } = await import(pathToFileURL(join(root, 'out/main.js')).href);
  assert.deepEqual(await main(), ['word 1', 'word 2!', 'word 3', 3]);
  assert.equal((globalThis as { lists?: number }).lists, 1);
  await assert.rejects(
    mergeChunks(join(root, 'out'), metafile, [['gone.js']], output),
    /gone\.js is not loaded lazily/,
  );
});

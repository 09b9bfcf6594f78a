import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import type { ToolFactory } from '@longhand/sdk';
import { type ToolResult, tryTools } from '@longhand/sdk/testing';
import iconv from 'iconv-lite';
import { fileEditorTool } from '../file-editor/tool.ts';
import { viewTool } from '../view.ts';
import { editTool } from './edit.ts';
import { listDirectoryTool } from './list-directory.ts';
import { readFileTool } from './read-file.ts';
import { writeFileTool } from './write-file.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'longhand-gemini-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Told = ToolResult & { readonly [key: string]: unknown };

async function ask(factory: ToolFactory, args: object): Promise<Told> {
  const tried = await tryTools(factory, { folder });
  const result = await tried.call(args);
  await tried.close();
  return { ...result.observation, ...result };
}

async function refused(reason: RegExp, factory: ToolFactory, args: object): Promise<void> {
  const { isError, said } = await ask(factory, args);
  assert.equal(isError, true);
  assert.match(said, reason);
}

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join('');

test('read_file: a whole file, by a relative or an absolute path', async () => {
  const path = file('a', 'one\ntwo\nthree\n');
  for (const file_path of ['a', path]) {
    const { observation } = await ask(readFileTool, { file_path });
    assert.deepEqual(observation, {
      content: [
        {
          cache_prompt: false,
          type: 'text',
          text: `${path}:\n     1  one\n     2  two\n     3  three`,
        },
      ],
      is_error: false,
      file_path,
      file_content: 'one\ntwo\nthree',
      is_truncated: false,
      kind: 'ReadFileObservation',
    });
  }
  file('empty', '');
  assert.equal((await ask(readFileTool, { file_path: 'empty' }))['file_content'], '');
});

test('read_file: returns part of a file and says where to continue', async () => {
  file('a', lines(20));
  const part = await ask(readFileTool, { file_path: 'a', offset: 5, limit: 3 });
  assert.deepEqual([part['lines_shown'], part['total_lines'], part['is_truncated']], [[6, 8], 20, true]);
  assert.match(
    part.said,
    /lines 6 to 8 of 20:\n {5}6 {2}line 6\n {5}7 {2}line 7\n {5}8 {2}line 8\nContinue with offset 8\.$/,
  );
  file('long', lines(1_500));
  const long = await ask(readFileTool, { file_path: 'long' });
  assert.deepEqual(
    [long['lines_shown'], long['total_lines'], long['is_truncated']],
    [[1, 1_000], 1_500, true],
  );
  assert.match(long.said, /Continue with offset 1000\.$/);
  const rest = await ask(readFileTool, { file_path: 'long', offset: 1_000 });
  assert.deepEqual(rest['lines_shown'], [1_001, 1_500]);
  assert.doesNotMatch(rest.said, /Continue/);
  file('wide', `${'x'.repeat(5_000)}\n`);
  assert.match(
    (await ask(readFileTool, { file_path: 'wide' })).said,
    /x\.\.\. \(5000 characters in this line\)$/,
  );
});

test('read_file: a file that is too long for one result is continued in the next', async () => {
  file('a', `${'x'.repeat(1_000)}\n`.repeat(100));
  const first = await ask(readFileTool, { file_path: 'a' });
  const [, last] = first['lines_shown'] as [number, number];
  assert.ok(first.said.length < 30_200 && last < 100 && last > 20);
  assert.match(first.said, new RegExp(`Continue with offset ${last}\\.$`));
  const next = await ask(readFileTool, { file_path: 'a', offset: last });
  assert.equal((next['lines_shown'] as number[])[0], last + 1);
});

test('read_file: reports files that cannot be read', async () => {
  file('a', '1\n2\n');
  file('binary', Buffer.from([1, 0, 2]));
  mkdirSync(join(folder, 'sub'));
  await refused(/offset 10 is past the end.*2 lines/, readFileTool, { file_path: 'a', offset: 10 });
  await refused(/does not exist/, readFileTool, { file_path: 'none' });
  await refused(/is not a file/, readFileTool, { file_path: 'sub' });
  await refused(/binary/, readFileTool, { file_path: 'binary' });
  await refused(/limit/, readFileTool, { file_path: 'a', limit: 0 });
  await refused(/ENAMETOOLONG/, readFileTool, { file_path: 'n'.repeat(300) });
});

test('write_file: creates a file with its folders, replaces one, and writes an empty one', async () => {
  const made = await ask(writeFileTool, { file_path: 'deep/er/a', content: 'x\r\n' });
  assert.deepEqual(
    [made['is_new_file'], made['old_content'], made['new_content'], read('deep/er/a')],
    [true, undefined, 'x\r\n', 'x\r\n'],
  );
  chmodSync(join(folder, 'deep/er/a'), 0o755);
  const over = await ask(writeFileTool, { file_path: 'deep/er/a', content: 'y\nz\n' });
  assert.deepEqual(
    [over['is_new_file'], over['old_content'], over['new_content'], read('deep/er/a')],
    [false, 'x\n', 'y\nz\n', 'y\r\nz\r\n'],
  );
  assert.equal(statSync(join(folder, 'deep/er/a')).mode & 0o777, 0o755);
  await ask(writeFileTool, { file_path: 'deep/er/a', content: '' });
  assert.equal(read('deep/er/a'), '');
  await refused(/is not a file/, writeFileTool, { file_path: 'deep', content: 'x' });
});

test('write_file: keeps the encoding of a file, and replaces binary files', async () => {
  const russian = '# coding: cp1251\nмир\n';
  file('a', iconv.encode(russian, 'windows-1251'));
  await ask(writeFileTool, { file_path: 'a', content: russian.replace('мир', 'дом') });
  assert.equal(iconv.decode(readFileSync(join(folder, 'a')), 'windows-1251'), russian.replace('мир', 'дом'));
  assert.match((await ask(writeFileTool, { file_path: 'a', content: '漢\n' })).said, /windows-1251|cp1251/);
  assert.equal(read('a'), '漢\n');
  file('binary', Buffer.from([1, 0, 2]));
  const over = await ask(writeFileTool, { file_path: 'binary', content: 'text' });
  assert.deepEqual([over.isError, over['old_content'], read('binary')], [false, undefined, 'text']);
});

test('edit: replaces one occurrence, three of three, and several lines', async () => {
  file('a', 'x = 1\r\ny = 1\r\nz = 1\r\n');
  const three = await ask(editTool, {
    file_path: 'a',
    old_string: '= 1',
    new_string: '= 2 # $&',
    expected_replacements: 3,
  });
  assert.deepEqual(
    [three['replacements_made'], three['is_new_file'], three['old_content'], three['new_content']],
    [3, false, 'x = 1\ny = 1\nz = 1\n', 'x = 2 # $&\ny = 2 # $&\nz = 2 # $&\n'],
  );
  assert.equal(read('a'), 'x = 2 # $&\r\ny = 2 # $&\r\nz = 2 # $&\r\n');
  const one = await ask(editTool, {
    file_path: 'a',
    old_string: 'x = 2 # $&\ny = 2 # $&',
    new_string: 'x\nw\ny',
  });
  assert.equal(one['replacements_made'], 1);
  assert.equal(read('a'), 'x\r\nw\r\ny\r\nz = 2 # $&\r\n');
});

test('edit: a call that does not match the file is refused and changes nothing', async () => {
  file('a', 'x\nx\nx\n');
  const old_string = 'x';
  await refused(/3 times.*lines \[1, 2, 3\].*not 1 times/, editTool, {
    file_path: 'a',
    old_string,
    new_string: 'y',
  });
  await refused(/does not occur/, editTool, { file_path: 'a', old_string: 'q', new_string: 'y' });
  await refused(/does not occur/, editTool, {
    file_path: 'a',
    old_string: 'q',
    new_string: 'y',
    expected_replacements: 0,
  });
  await refused(/nothing would change/, editTool, { file_path: 'a', old_string, new_string: 'x' });
  await refused(/does not exist/, editTool, { file_path: 'none', old_string, new_string: 'y' });
  await refused(/is not a file/, editTool, { file_path: '.', old_string, new_string: 'y' });
  assert.equal(read('a'), 'x\nx\nx\n');
  assert.equal(existsSync(join(folder, 'none')), false);
});

test('edit: an empty old_string creates a file but never replaces one', async () => {
  const made = await ask(editTool, { file_path: 'sub/a', old_string: '', new_string: 'text' });
  assert.deepEqual([made['is_new_file'], made['new_content'], read('sub/a')], [true, 'text', 'text']);
  await refused(/already exists/, editTool, { file_path: 'sub/a', old_string: '', new_string: 'other' });
  assert.equal(read('sub/a'), 'text');
});

test('list_directory: lists folders first, then files with size and time, on two levels if recursive', async () => {
  const path = file('b.txt', 'four');
  utimesSync(path, 1_700_000_000, 1_700_000_000);
  file('sub/deep/x', '');
  file('sub/y', '');
  file('.hidden', '');
  const flat = await ask(listDirectoryTool, {});
  const entries = flat['entries'] as { readonly name: string; readonly path: string }[];
  assert.deepEqual(
    entries.map(({ name }) => name),
    ['sub', '.hidden', 'b.txt'],
  );
  assert.deepEqual(entries[2], {
    name: 'b.txt',
    path,
    is_directory: false,
    size: 4,
    modified_time: '2023-11-14T22:13:20.000Z',
  });
  assert.deepEqual([flat['dir_path'], flat['total_count'], flat['is_truncated']], ['.', 3, false]);
  assert.equal(flat.said, `${folder}/\nsub/\n.hidden  0\nb.txt  4`);
  const deep = await ask(listDirectoryTool, { dir_path: folder, recursive: true });
  assert.deepEqual(
    (deep['entries'] as { path: string }[]).map((entry) => entry.path.slice(folder.length + 1)),
    ['sub', 'sub/deep', 'sub/y', '.hidden', 'b.txt'],
  );
});

test('list_directory: an empty folder, too many entries, and a path that is not a folder', async () => {
  mkdirSync(join(folder, 'empty'));
  assert.match((await ask(listDirectoryTool, { dir_path: 'empty' })).said, /is empty/);
  for (let i = 0; i < 510; i += 1) file(`many/f${i}`, '');
  const many = await ask(listDirectoryTool, { dir_path: 'many' });
  assert.deepEqual(
    [(many['entries'] as []).length, many['total_count'], many['is_truncated']],
    [500, 510, true],
  );
  assert.match(many.said, /500 of 510/);
  await refused(/is not a folder/, listDirectoryTool, { dir_path: 'many/f0' });
  await refused(/does not exist/, listDirectoryTool, { dir_path: 'none' });
});

test('all tools that use a file lock it under the same key', async () => {
  const path = join(folder, 'a');
  const keys = await Promise.all(
    [fileEditorTool, readFileTool, writeFileTool, editTool, viewTool].map(async (factory) => {
      const { tools, close } = await tryTools(factory, { folder });
      const keysOf = (spelling: string) =>
        tools[0]!.resources!({ path: spelling, file_path: spelling } as never);
      const same = [keysOf(path), keysOf('./sub/../a')];
      await close();
      return same;
    }),
  );
  for (const [absolute, relative] of keys)
    assert.deepEqual([absolute, relative], [[`file:${path}`], [`file:${path}`]]);
});

test('view: shows files, folders and images by any path, is read-only, and reports what it cannot show', async () => {
  file('sub/a', 'one\ntwo\n');
  assert.equal(
    (await ask(viewTool, { path: 'sub/a' })).said,
    `${folder}/sub/a:\n     1\tone\n     2\ttwo\n     3\t\n`,
  );
  assert.match(
    (await ask(viewTool, { path: `${folder}/sub/a`, view_range: [2, -1] })).said,
    /\n {5}2\ttwo\n$/,
  );
  assert.match((await ask(viewTool, { path: '.' })).said, /\/sub\/a\n/);
  const png = file('p.png', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'));
  assert.equal((await ask(viewTool, { path: png })).content.length, 2);
  assert.equal((await ask(readFileTool, { file_path: png })).content.length, 2);
  await refused(/nothing at/, viewTool, { path: 'none' });
  await refused(/has no lines/, viewTool, { path: '.', view_range: [1, 2] });
  await refused(/ENAMETOOLONG/, viewTool, { path: 'n'.repeat(300) });
  const { tools, close } = await tryTools(viewTool, { folder });
  assert.equal(tools[0]!.annotations.readOnlyHint, true);
  await close();
});

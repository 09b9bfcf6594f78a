import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import type { Tool } from '@longhand/sdk';
import { type ToolResult, type TriedTools, tryTools } from '@longhand/sdk/testing';
import { fileEditorTool } from './tool.ts';

let folder: string;
let tried: TriedTools;
let editor: Tool;
beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'longhand-editor-')));
  tried = await tryTools(fileEditorTool, { folder });
  editor = tried.tools[0]!;
});
afterEach(async () => {
  await tried.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Paths are relative to the folder, unless they begin with a slash. */
type Told = ToolResult & { readonly [key: string]: unknown };

async function run(command: string, path: string, more: object = {}): Promise<Told> {
  const result = await tried.call({
    command,
    path: path.startsWith('/') ? path : join(folder, path),
    ...more,
  });
  return { ...result.observation, ...result };
}

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

const read = (name: string) => readFileSync(join(folder, name), 'utf8');

async function refused(reason: RegExp, command: string, path: string, more: object = {}) {
  const output = await run(command, path, more);
  assert.equal(output.isError, true);
  assert.match(output.said, reason);
}

const replace = (path: string, old_str: string, new_str: string) =>
  run('str_replace', path, { old_str, new_str });
const insert = (path: string, insert_line: number | string, new_str: string) =>
  run('insert', path, { insert_line, new_str });

test('2.7 cases 1, 2, 5, 11: a file with line numbers, tabs and all as it is', async () => {
  file('a', 'one\ttab\n<x>.*\n');
  assert.equal(
    (await run('view', 'a')).said,
    `${join(folder, 'a')}:\n     1\tone\ttab\n     2\t<x>.*\n     3\t\n`,
  );
  file('empty', '');
  assert.match((await run('view', 'empty')).said, /:\n {5}1\t\n$/);
  await refused(/\[1, 0\]/, 'view', 'empty', { view_range: [1, 1] });
});

test('2.7 cases 3, 4, 16: what is too long is clipped', async () => {
  file('long', 'x'.repeat(17_000));
  file('lines', 'a\n'.repeat(16_000));
  for (const name of ['long', 'lines']) assert.match((await run('view', name)).said, /<response clipped>/);
  for (let i = 0; i < 1_000; i += 1) file(`many/file-with-a-name-${i}`, '');
  assert.match((await run('view', 'many')).said, /<response clipped>/);
});

test('2.7 cases 6 to 10: ranges', async () => {
  file('a', '1\n2\n3\n');
  await refused(/two integers/, 'view', 'a', { view_range: [1] });
  await refused(/two integers/, 'view', 'a', { view_range: [1, 2, 3] });
  assert.match((await run('view', 'a', { view_range: [1, 10] })).said, /NOTE.*3 lines/);
  await refused(/before it begins/, 'view', 'a', { view_range: [3, 1] });
  await refused(/before it begins/, 'view', 'a', { view_range: [1, -2] });
  await refused(/outside.*\[1, 3\]/, 'view', 'a', { view_range: [0, 1] });
  await refused(/outside/, 'view', 'a', { view_range: [4, 4] });
  assert.match((await run('view', 'a', { view_range: [2, -1] })).said, /\n {5}2\t2\n {5}3\t3\n$/);
});

test('2.7 cases 12 to 15, 17, 18: folders two levels deep, in byte order, hidden ones counted', async () => {
  for (const name of ['B.txt', 'a.txt', 'b/c.txt', 'b/.hidden', '.x', '.y/z', 'b/d/e/f']) file(name, '');
  symlinkSync(join(folder, 'b'), join(folder, 'link'));
  const { said } = await run('view', folder);
  const names = said
    .split('\n')
    .filter((line) => line.startsWith(folder))
    .map((line) => line.slice(folder.length));
  assert.deepEqual(names, [
    '/',
    '/B.txt',
    '/a.txt',
    '/b/',
    '/b/c.txt',
    '/b/d/',
    '/link/',
    '/link/c.txt',
    '/link/d/',
  ]);
  assert.match(said, /2 hidden entries.*ls -la/);
  await refused(/no lines/, 'view', folder, { view_range: [1, 2] });
});

test('2.7 cases 20, 21, 23: images are shown, binary and huge files are not', async () => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  file('p.png', png);
  const shown = await run('view', 'p.png');
  assert.deepEqual(shown.content[1], {
    cache_prompt: false,
    type: 'image',
    image_urls: [`data:image/png;base64,${png.toString('base64')}`],
  });
  file('no.png', 'text');
  await refused(/named like an image/, 'view', 'no.png');
  file('b.bin', Buffer.from([65, 0, 66]));
  await refused(/binary/, 'view', 'b.bin');
  file('huge', Buffer.alloc(10 * 1024 * 1024 + 1_024, 'a'));
  await refused(/10\.0 MB/, 'view', 'huge');
  file('big', Buffer.alloc(10 * 1024 * 1024, 'a'));
  assert.match((await run('view', 'big')).said, /<response clipped>/);
});

test('2.7 cases 24, 25: paths must be absolute and be there', async () => {
  file('here.txt', 'x');
  await refused(/nothing at/, 'view', 'missing');
  const relative = async (path: string) => (await tried.call({ command: 'view', path })).said;
  assert.match(await relative('here.txt'), new RegExp(`Did you mean ${join(folder, 'here.txt')}`));
  assert.doesNotMatch(await relative('C:\\foo'), /Did you mean/);
});

test('2.7 cases 27 to 33: create', async () => {
  const made = await run('create', 'deep/er/v', { file_text: 'v\r\n漢' });
  assert.deepEqual(
    [read('deep/er/v'), made['prev_exist'], made['new_content']],
    ['v\r\n漢', false, 'v\r\n漢'],
  );
  await run('create', 'empty', { file_text: '' });
  assert.equal(statSync(join(folder, 'empty')).size, 0);
  await refused(/needs file_text/, 'create', 'none');
  await refused(/exists already/, 'create', 'empty', { file_text: 'x' });
});

test('2.7 cases 34, 35, 38, 43, 47: replacing exactly one place', async () => {
  file('a', 'one two\nthree\n');
  const edited = await replace('a', 'one two\nthree', 'four\tfive\n(\\1) $& ');
  assert.equal(read('a'), 'four\tfive\n(\\1) $& \n');
  assert.deepEqual([edited['old_content'], edited['new_content']], ['one two\nthree\n', read('a')]);
  assert.match(edited.said, / {5}1\tfour\tfive\n {5}2\t\(\\1\) \$& \n/);
  await replace('a', 'four\tfive\n', '');
  assert.equal(read('a'), '(\\1) $& \n');
});

test('2.7 cases 36, 37, 39 to 42, 44: what is not one place is refused, and nothing is changed', async () => {
  file('a', 'x y\nx\n');
  await refused(/lines \[1, 2\]/, 'str_replace', 'a', { old_str: 'x', new_str: 'z' });
  file('b', 'x x\n');
  await refused(/lines \[1\]/, 'str_replace', 'b', { old_str: 'x', new_str: 'z' });
  await refused(/does not stand in.*nothing here/s, 'str_replace', 'a', {
    old_str: 'nothing here',
    new_str: 'z',
  });
  file('three', '1\n2\n3');
  await refused(/lines \[1, 2, 3\]/, 'str_replace', 'three', { old_str: '', new_str: 'z' });
  await refused(/needs old_str/, 'str_replace', 'a', { new_str: 'z' });
  await refused(/needs new_str/, 'str_replace', 'a', { old_str: 'x y' });
  await refused(/nothing would change/, 'str_replace', 'a', { old_str: 'x y', new_str: 'x y' });
  await refused(/only view/, 'str_replace', folder, { old_str: 'x', new_str: 'y' });
  assert.equal(read('a'), 'x y\nx\n');
  await replace('a', '  x y', 'blank ');
  assert.equal(read('a'), 'blank \nx\n');
});

test('2.5: line ends of the file are kept, and new lines take them', async () => {
  file('crlf', 'one\r\ntwo\r\nthree\r\n');
  await replace('crlf', 'one\ntwo', 'one\nand a half\ntwo');
  assert.equal(read('crlf'), 'one\r\nand a half\r\ntwo\r\nthree\r\n');
  await insert('crlf', 4, 'four');
  assert.equal(read('crlf'), 'one\r\nand a half\r\ntwo\r\nthree\r\nfour\r\n');
  file('mixed', 'a\r\nb\nc\r\nd\n');
  await replace('mixed', 'c', 'C');
  assert.equal(read('mixed'), 'a\r\nb\nC\r\nd\n');
  assert.doesNotMatch((await run('view', 'crlf')).said, /\r/);
});

test('2.7 case 48: a byte-order mark stays and needs no typing; UTF-16 too; other encodings are left alone', async () => {
  file('bom', '\ufefffirst word\n');
  await replace('bom', 'first', 'second');
  assert.equal(read('bom'), '\ufeffsecond word\n');
  file('utf16', Buffer.from('\ufeffgrüß\n', 'utf16le'));
  await replace('utf16', 'grüß', 'Gruß 漢');
  assert.equal(readFileSync(join(folder, 'utf16'), 'utf16le'), '\ufeffGruß 漢\n');
  file('latin1', Buffer.from('caf\xe9\n', 'latin1'));
  assert.match((await run('view', 'latin1')).said, /café/);
  await refused(/not UTF-8/, 'str_replace', 'latin1', { old_str: 'caf', new_str: 'x' });
});

test('2.7 case 45: permissions, symbolic links and hard links survive an edit', async () => {
  const path = file('script', 'old\n');
  chmodSync(path, 0o755);
  symlinkSync(path, join(folder, 'soft'));
  await replace('soft', 'old', 'new');
  assert.ok(lstatSync(join(folder, 'soft')).isSymbolicLink());
  assert.deepEqual([read('script'), statSync(path).mode & 0o777], ['new\n', 0o755]);
  linkSync(path, join(folder, 'hard'));
  await replace('hard', 'new', 'newer');
  assert.equal(read('script'), 'newer\n');
});

test('2.7 cases 51 to 57: insert', async () => {
  file('a', 'one\ntwo\n');
  assert.match((await insert('a', 1, 'between')).said, / {5}1\tone\n {5}2\tbetween\n {5}3\ttwo/);
  await insert('a', '0', '漢');
  assert.equal(read('a'), '漢\none\nbetween\ntwo\n');
  await insert('a', 4, 'x\n');
  assert.equal(read('a'), '漢\none\nbetween\ntwo\nx\n\n');
  await refused(/\[0, 6\]/, 'insert', 'a', { insert_line: 10, new_str: 'x' });
  await refused(/needs new_str/, 'insert', 'a', { insert_line: 0 });
  await refused(/needs insert_line/, 'insert', 'a', { new_str: 'x' });
  await refused(/insert_line/, 'insert', 'a', { insert_line: 'abc', new_str: 'x' });
  file('empty', '');
  await insert('empty', 0, 'first');
  assert.equal(read('empty'), 'first\n');
  await insert('empty', 1, '');
  assert.equal(read('empty'), 'first\n\n');
  file('unended', 'last');
  await insert('unended', 1, 'more');
  assert.equal(read('unended'), 'last\nmore');
});

test('2.7 cases 59 to 61: undo, step by step', async () => {
  file('a', 'one\n');
  await refused(/no edit/, 'undo_edit', 'a');
  await replace('a', 'one', 'two');
  await replace('a', 'two', 'three');
  const undone = await run('undo_edit', 'a');
  assert.deepEqual([undone['old_content'], undone['new_content'], read('a')], ['three\n', 'two\n', 'two\n']);
  await run('undo_edit', 'a');
  assert.equal(read('a'), 'one\n');
  await run('create', 'new', { file_text: 'x' });
  await run('undo_edit', 'new');
  assert.equal(existsSync(join(folder, 'new')), false);
});

test('2.6: undo does not discard what somebody else changed', async () => {
  file('a', 'one\n');
  await replace('a', 'one', 'two');
  file('a', "somebody else's\n");
  await refused(/somebody else/, 'undo_edit', 'a');
  assert.equal(read('a'), "somebody else's\n");
});

test('2.7 case 64: the same file is the same resource however it is written', () => {
  const key = (path: string) => editor.resources!({ command: 'view', path } as never);
  assert.deepEqual(key('/a/b/../c.py'), ['file:/a/c.py']);
  assert.deepEqual(key('/a/./c.py'), key('/a/c.py'));
});

test('2.7 case 67: the description ends with the working folder, and tells of images only to a model that sees', async () => {
  assert.ok(editor.description.endsWith(`your work lies in ${folder}.`));
  const {
    tools: [blind],
  } = await tryTools(fileEditorTool, { folder, vision: false });
  assert.deepEqual([/Images/.test(editor.description), /Images/.test(blind!.description)], [true, false]);
});

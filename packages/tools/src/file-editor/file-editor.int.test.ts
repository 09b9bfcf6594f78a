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
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { deflateSync } from 'node:zlib';
import {
  Conversation,
  openLocalWorkspace,
  type Tool,
  textOf,
  type Workspace,
  WorkspaceError,
} from '@longhand/sdk';
import { toolSchema } from '@longhand/sdk/internal';
import {
  type Reply,
  startModelServer,
  type ToolResult,
  type TriedTools,
  tryTools,
} from '@longhand/sdk/testing';
import iconv from 'iconv-lite';
import { readFileTool } from '../gemini/read-file.ts';
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
const bytesOf = (name: string) => readFileSync(join(folder, name));

async function refused(reason: RegExp, command: string, path: string, more: object = {}) {
  const output = await run(command, path, more);
  assert.equal(output.isError, true);
  assert.match(output.said, reason);
}

const replace = (path: string, old_str: string, new_str: string) =>
  run('str_replace', path, { old_str, new_str });
const insert = (path: string, insert_line: number | string, new_str: string) =>
  run('insert', path, { insert_line, new_str });

test('a file is shown with line numbers, tabs unchanged', async () => {
  file('a', 'one\ttab\n<x>.*\n');
  assert.equal(
    (await run('view', 'a')).said,
    `${join(folder, 'a')}:\n     1\tone\ttab\n     2\t<x>.*\n     3\t\n`,
  );
  file('unended', 'one\ntwo');
  assert.equal(
    (await run('view', 'unended')).said,
    `${join(folder, 'unended')}:\n     1\tone\n     2\ttwo\n`,
  );
  file('empty', '');
  assert.match((await run('view', 'empty')).said, /:\n {5}1\t\n$/);
  await refused(/\[1, 0\]/, 'view', 'empty', { view_range: [1, 1] });
});

test('content that is too long is clipped', async () => {
  file('long', 'x'.repeat(17_000));
  file('lines', 'a\n'.repeat(16_000));
  for (const name of ['long', 'lines']) assert.match((await run('view', name)).said, /<response clipped>/);
  for (let i = 0; i < 1_000; i += 1) file(`many/file-with-a-name-${i}`, '');
  assert.match((await run('view', 'many')).said, /<response clipped>/);
});

test('a range shows its lines, and an invalid one is rejected', async () => {
  file('a', '1\n2\n3\n');
  await refused(/two integers/, 'view', 'a', { view_range: [1] });
  await refused(/two integers/, 'view', 'a', { view_range: [1, 2, 3] });
  assert.match((await run('view', 'a', { view_range: [1, 10] })).said, /NOTE.*3 lines/);
  await refused(/before its start/, 'view', 'a', { view_range: [3, 1] });
  await refused(/before its start/, 'view', 'a', { view_range: [1, -2] });
  await refused(/outside.*\[1, 3\]/, 'view', 'a', { view_range: [0, 1] });
  await refused(/outside/, 'view', 'a', { view_range: [4, 4] });
  assert.match((await run('view', 'a', { view_range: [2, -1] })).said, /\n {5}2\t2\n {5}3\t3\n$/);
});

test('folders are listed two levels deep in byte order, with hidden entries counted', async () => {
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

test('images are shown, binary and huge files are not', async () => {
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
  await refused(/has the name of an image/, 'view', 'no.png');
  file('b.bin', Buffer.from([65, 0, 66]));
  await refused(/binary/, 'view', 'b.bin');
  file('huge', Buffer.alloc(10 * 1024 * 1024 + 1_024, 'a'));
  await refused(/10\.0 MB/, 'view', 'huge');
  file('big', Buffer.alloc(10 * 1024 * 1024, 'a'));
  assert.match((await run('view', 'big')).said, /<response clipped>/);
});

test('lines after a cut keep their numbers', async () => {
  file('lines', Array.from({ length: 5_000 }, (_, i) => `line ${i + 1}\n`).join(''));
  const { said } = await run('view', 'lines');
  const shown = [...said.matchAll(/^ *(\d+)\tline (\d+)$/gm)];
  const whole = shown.filter(([, number, line]) => number === line);
  assert.ok(
    whole.length > 800 && shown.length - whole.length <= 2,
    'only the two lines of the cut are in part',
  );
  assert.match(said, /line \d+ to line \d+\. View a smaller part/);
  const part = await run('view', 'lines', { view_range: [100, 4_000] });
  assert.match(part.said, /^ {3}100\tline 100$/m);
  assert.match(part.said, /^ {2}4000\tline 4000$/m);
});

test('a hidden folder is shown like any other, its hidden entries counted', async () => {
  for (const name of ['.git/config', '.git/hooks/x', '.git/.lock', '.git/hooks/.y']) file(name, '');
  const { said } = await run('view', '.git');
  assert.match(said, /\/\.git\/\n.*\/\.git\/config\n.*\/\.git\/hooks\/\n.*\/\.git\/hooks\/x\n/);
  assert.match(said, /1 hidden entries/);
});

test('an unreadable folder is an error; one further down is shown without its content', async () => {
  for (const name of ['open/a', 'shut/b']) file(name, '');
  const real = openLocalWorkspace(folder);
  const workspace: Workspace = {
    ...real,
    list: (path) =>
      path.endsWith('/shut')
        ? Promise.reject(new WorkspaceError('permission', `${path}: permission denied`))
        : real.list(path),
  };
  const [tool] = await fileEditorTool.create(
    { workspace, files: null, vision: true, onWarning: assert.fail },
    {},
  );
  const look = (path: string) => tool!.run({ command: 'view', path }, undefined as never);
  const shut = await look(join(folder, 'shut'));
  assert.deepEqual([shut.is_error, textOf(shut.content)], [true, `${folder}/shut: permission denied`]);
  assert.match(textOf((await look(folder)).content), /\/open\/a\n.*\/shut\/\n/);
});

test('a PDF of plain text is text; one with a compressed stream is binary', async () => {
  file('plain.pdf', '%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n');
  assert.match((await run('view', 'plain.pdf')).said, /%PDF-1\.4/);
  const stream = deflateSync(Buffer.from(Array.from({ length: 4_000 }, (_, i) => (i * i * 31) % 251)));
  file('packed.pdf', Buffer.concat([Buffer.from('%PDF-1.4\nstream\n'), stream]));
  await refused(/binary/, 'view', 'packed.pdf');
});

test('a model without vision is told that it is an image', async () => {
  file('p.png', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'));
  const blind = await tryTools(fileEditorTool, { folder, vision: false });
  const { content, said } = await blind.call({ command: 'view', path: join(folder, 'p.png') });
  assert.deepEqual([content.length, /is an image \(image\/png, 8 bytes\)/.test(said)], [1, true]);
  await blind.close();
});

test('a workspace with a relative root resolves it', async () => {
  const { tools, close } = await tryTools(fileEditorTool, { folder: relative(process.cwd(), folder) });
  assert.ok(tools[0]!.description.endsWith(`${folder}.`));
  await close();
});

test('paths must be absolute and exist', async () => {
  file('here.txt', 'x');
  await refused(/does not exist/, 'view', 'missing');
  const byName = async (path: string) => (await tried.call({ command: 'view', path })).said;
  assert.match(await byName('here.txt'), new RegExp(`Did you mean ${join(folder, 'here.txt')}`));
  assert.doesNotMatch(await byName('gone.txt'), /Did you mean/);
  const foreign = await tried.call({ command: 'create', path: 'C:\\foo', file_text: 'x' });
  assert.match(foreign.said, /must be absolute/);
  assert.equal(existsSync(join(folder, 'C:\\foo')), false);
});

test('create writes new files and rejects existing ones', async () => {
  const made = await run('create', 'deep/er/v', { file_text: 'v\r\n漢' });
  assert.deepEqual(
    [read('deep/er/v'), made['prev_exist'], made['new_content']],
    ['v\r\n漢', false, 'v\r\n漢'],
  );
  await run('create', 'empty', { file_text: '' });
  assert.equal(statSync(join(folder, 'empty')).size, 0);
  await refused(/needs file_text/, 'create', 'none');
  await refused(/already exists/, 'create', 'empty', { file_text: 'x' });
});

test('a file with a name of maximum length is created, edited and undone', async () => {
  const name = '漢'.repeat(85);
  await run('create', name, { file_text: 'one\n' });
  await replace(name, 'one', 'two');
  assert.equal(read(name), 'two\n');
  await run('undo_edit', name);
  assert.equal(read(name), 'one\n');
});

test('a file that cannot be created leaves no folders behind', async () => {
  await refused(/ENAMETOOLONG/, 'create', `new/deep/${'n'.repeat(256)}`, { file_text: 'x' });
  await refused(/EISDIR/, 'create', join(folder, 'new').concat('/..'), { file_text: 'x' });
  file('there/kept', '');
  await refused(/ENAMETOOLONG/, 'create', `there/deep/${'n'.repeat(256)}`, { file_text: 'x' });
  assert.deepEqual(
    [existsSync(join(folder, 'new')), existsSync(join(folder, 'there/deep')), read('there/kept')],
    [false, false, ''],
  );
});

test('str_replace replaces exactly one place', async () => {
  file('a', 'one two\nthree\n');
  const edited = await replace('a', 'one two\nthree', 'four\tfive\n(\\1) $& ');
  assert.equal(read('a'), 'four\tfive\n(\\1) $& \n');
  assert.deepEqual([edited['old_content'], edited['new_content']], ['one two\nthree\n', read('a')]);
  assert.match(edited.said, / {5}1\tfour\tfive\n {5}2\t\(\\1\) \$& \n/);
  await replace('a', 'four\tfive\n', '');
  assert.equal(read('a'), '(\\1) $& \n');
});

test('str_replace rejects text that does not occur exactly once, and changes nothing', async () => {
  file('a', 'x y\nx\n');
  await refused(/lines \[1, 2\]/, 'str_replace', 'a', { old_str: 'x', new_str: 'z' });
  file('b', 'x x\n');
  await refused(/lines \[1\]/, 'str_replace', 'b', { old_str: 'x', new_str: 'z' });
  await refused(/does not occur in.*nothing here/s, 'str_replace', 'a', {
    old_str: 'nothing here',
    new_str: 'z',
  });
  await refused(/lines \[1\]/, 'str_replace', 'b', { old_str: '', new_str: 'z' });
  await refused(/lines \[1\]/, 'str_replace', 'b', { old_str: '\t', new_str: 'z' });
  file('three', '1\n2\n3');
  await refused(/lines \[1, 2, 3\]/, 'str_replace', 'three', { old_str: '', new_str: 'z' });
  await refused(/needs old_str/, 'str_replace', 'a', { new_str: 'z' });
  await refused(/needs new_str/, 'str_replace', 'a', { old_str: 'x y' });
  await refused(/nothing would change/, 'str_replace', 'a', { old_str: 'x y', new_str: 'x y' });
  await refused(/only view/, 'str_replace', folder, { old_str: 'x', new_str: 'y' });
  assert.equal(read('a'), 'x y\nx\n');
  await replace('a', '  x y', 'blank  ');
  assert.equal(read('a'), 'blank  \nx\n');
  file('void', '');
  await replace('void', '', 'text');
  assert.equal(read('void'), 'text');
  file('python', 'if x:\n\treturn 1\n');
  await refused(/Its first line matches line 2/, 'str_replace', 'python', {
    old_str: '    return 1\n    done',
    new_str: 'z',
  });
});

test('line ends of the file are kept, and new lines take them', async () => {
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

test('a byte-order mark stays and needs no typing; UTF-16 too', async () => {
  file('bom', '\ufefffirst word\n');
  await replace('bom', 'first', 'second');
  assert.equal(read('bom'), '\ufeffsecond word\n');
  file('utf16', Buffer.from('\ufeffgrüß\n', 'utf16le'));
  await replace('utf16', 'grüß', 'Gruß 漢');
  assert.equal(readFileSync(join(folder, 'utf16'), 'utf16le'), '\ufeffGruß 漢\n');
  file('utf16be', iconv.encode('\ufeffgrüß\r\n', 'utf16be'));
  await replace('utf16be', 'grüß\n', 'Gruß\n漢\n');
  assert.deepEqual(bytesOf('utf16be'), iconv.encode('\ufeffGruß\r\n漢\r\n', 'utf16be'));
});

test('permissions, symbolic links and hard links survive an edit', async () => {
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

test('insert adds lines and rejects invalid positions', async () => {
  file('a', 'one\ntwo\n');
  assert.match((await insert('a', 1, 'between')).said, / {5}1\tone\n {5}2\tbetween\n {5}3\ttwo/);
  await insert('a', '0', '漢');
  assert.equal(read('a'), '漢\none\nbetween\ntwo\n');
  await insert('a', 4, 'x\n');
  assert.equal(read('a'), '漢\none\nbetween\ntwo\nx\n\n');
  for (const insert_line of [10, -1]) await refused(/\[0, 6\]/, 'insert', 'a', { insert_line, new_str: 'x' });
  await refused(/needs new_str/, 'insert', 'a', { insert_line: 0 });
  await refused(/needs insert_line/, 'insert', 'a', { new_str: 'x' });
  await refused(/insert_line: must be a line number/, 'insert', 'a', {
    insert_line: 'abc',
    new_str: 'x',
  });
  file('empty', '');
  await insert('empty', 0, 'first');
  assert.equal(read('empty'), 'first\n');
  await insert('empty', 1, '');
  assert.equal(read('empty'), 'first\n\n');
  file('unended', 'last');
  await insert('unended', 1, 'more');
  assert.equal(read('unended'), 'last\nmore');
});

test('edits are undone step by step', async () => {
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

test('undo does not discard the changes of another program', async () => {
  file('a', 'one\n');
  await replace('a', 'one', 'two');
  file('a', "somebody else's\n");
  await refused(/another program/, 'undo_edit', 'a');
  assert.equal(read('a'), "somebody else's\n");
});

test('undo works after a conversation is resumed', async () => {
  const directory = join(folder, 'conversation');
  file('a', 'one\n');
  const first = await tryTools(fileEditorTool, { folder, directory });
  const path = join(folder, 'a');
  await first.call({ command: 'str_replace', path, old_str: 'one', new_str: 'two' });
  await first.close();
  const again = await tryTools(fileEditorTool, { folder, directory });
  await again.call({ command: 'undo_edit', path });
  assert.equal(read('a'), 'one\n');
  await again.close();
});

test('an edit through a link is undone under either name', async () => {
  const path = file('a', 'one\n');
  symlinkSync(path, join(folder, 'link'));
  await replace('link', 'one', 'two');
  await run('undo_edit', 'a');
  assert.equal(read('a'), 'one\n');
});

test('an edit through a hard link is undone under either name, and so is the edit before it', async () => {
  const path = file('a', 'one\n');
  await replace('a', 'one', 'two');
  linkSync(path, join(folder, 'hard'));
  await replace('hard', 'two', 'three');
  await run('undo_edit', 'a');
  assert.deepEqual([read('a'), read('hard')], ['two\n', 'two\n']);
  await refused(/no edit|another program/, 'undo_edit', 'hard');
  await run('undo_edit', 'a');
  assert.deepEqual([read('a'), read('hard')], ['one\n', 'one\n']);
});

test('an insertion ends its lines like the lines around it', async () => {
  file('mixed', 'a\r\nb\r\nc\nd\ne\n');
  await insert('mixed', 1, 'x');
  await insert('mixed', 4, 'y\nz');
  await insert('mixed', 0, 'top');
  assert.equal(read('mixed'), 'top\r\na\r\nx\r\nb\r\nc\ny\nz\nd\ne\n');
  await replace('mixed', 'a\nx', 'A\nand\nX');
  await replace('mixed', 'e', 'more\ne');
  assert.equal(read('mixed'), 'top\r\nA\r\nand\r\nX\r\nb\r\nc\ny\nz\nd\nmore\ne\n');
});

test('text that no file can hold is refused, and nothing is written', async () => {
  file('a', 'one\n');
  const half = 'x\ud83d';
  await refused(/new_str.*surrogate/, 'str_replace', 'a', { old_str: 'one', new_str: half });
  await refused(/new_str.*surrogate/, 'insert', 'a', { insert_line: 0, new_str: half });
  await refused(/file_text.*surrogate/, 'create', 'b', { file_text: half });
  assert.deepEqual([read('a'), existsSync(join(folder, 'b'))], ['one\n', false]);
});

test('a view that is clipped splits no character', async () => {
  for (const start of ['', 'a']) {
    file('emoji', start + '👋'.repeat(10_000));
    assert.doesNotMatch((await run('view', 'emoji')).said, /\ufffd/);
  }
});

test('an edit that cannot be stored for undo is still made, with a warning', async () => {
  file('a', 'one\n');
  const directory = join(folder, 'conversation');
  const fresh = await tryTools(fileEditorTool, { folder, directory });
  file('conversation/undo', 'in the way');
  const path = join(folder, 'a');
  const edited = await fresh.call({ command: 'str_replace', path, old_str: 'one', new_str: 'two' });
  assert.deepEqual([edited.isError, read('a')], [false, 'two\n']);
  assert.match(fresh.warnings.join(), /cannot be undone/);
  await fresh.close();
});

test('if only some files may be edited, all can be viewed', async () => {
  const plan = file('plan.md', 'plan\n');
  file('a', 'one\n');
  symlinkSync(plan, join(folder, 'link'));
  const strict = await tryTools(fileEditorTool, { folder, params: { allowed_edits_files: [plan] } });
  const edit = (name: string, command: string, more: object = {}) =>
    strict.call({ command, path: join(folder, name), ...more });
  assert.match((await edit('a', 'view')).said, /one/);
  const { said, isError } = await edit('a', 'str_replace', { old_str: 'one', new_str: 'two' });
  assert.deepEqual([isError, said.includes(`You may edit: ${plan}.`)], [true, true]);
  assert.equal((await edit('new', 'create', { file_text: '' })).isError, true);
  await edit('link', 'str_replace', { old_str: 'plan', new_str: 'map' });
  assert.deepEqual([read('plan.md'), read('a'), existsSync(join(folder, 'new'))], ['map\n', 'one\n', false]);
  await strict.close();
});

test('every spelling of a path is the same resource', () => {
  const key = (path: string) => editor.resources!({ command: 'view', path } as never);
  assert.deepEqual(key('/a/b/../c.py'), ['file:/a/c.py']);
  assert.deepEqual(key('/a/./c.py'), key('/a/c.py'));
  assert.deepEqual(key('a.py'), [`file:${folder}/a.py`]);
  assert.notDeepEqual(key('/a.py'), key('/b.py'));
});

test('the description ends with the working folder, and mentions images only to a model with vision', async () => {
  assert.ok(editor.description.endsWith(`the working folder is ${folder}.`));
  const {
    tools: [blind],
  } = await tryTools(fileEditorTool, { folder, vision: false });
  assert.deepEqual([/Images/.test(editor.description), /Images/.test(blind!.description)], [true, false]);
});

test('the schema for the model has seven parameters, view_range a plain array of integers', () => {
  const { properties, required } = toolSchema(editor).parameters as {
    properties: { [name: string]: { enum?: unknown; type?: unknown; items?: unknown } };
    required: unknown;
  };
  const own = Object.keys(properties).filter((name) => !['security_risk', 'summary'].includes(name));
  assert.deepEqual(own, ['command', 'path', 'file_text', 'old_str', 'new_str', 'insert_line', 'view_range']);
  assert.deepEqual(properties['command']!.enum, ['view', 'create', 'str_replace', 'insert', 'undo_edit']);
  assert.equal(properties['view_range']!.type, 'array');
  assert.equal((properties['view_range']!.items as { type: unknown }).type, 'integer');
  assert.deepEqual(required, ['command', 'path']);
});

test('five hundred edits of a 7 kB file do not accumulate in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const filler = 'x'.repeat(7_000);
  file('a', `0\n${filler}\n`);
  const used: number[] = [];
  for (let i = 0; i < 500; i += 1) {
    const { isError } = await replace('a', `${i}\n`, `${i + 1}\n`);
    assert.equal(isError, false);
    if (i % 100 === 99) {
      collect();
      used.push(process.memoryUsage().heapUsed);
    }
  }
  assert.equal(read('a'), `500\n${filler}\n`);
  assert.ok(used.at(-1)! - used[0]! < 2 * 1024 * 1024, String(used));
});

test('knowledge bound to a path is added once to a view and to a create', async (t) => {
  for (const [name, glob] of [
    ['sql', '*.sql'],
    ['css', '*.css'],
    ['md', '/a.md'],
  ])
    file(`.agents/skills/${name}.md`, `---\nname: ${name}\npaths: "${glob}"\n---\nRULES OF ${name}\n`);
  file('a.sql', 'select 1;\n');
  file('a.md', '# A\n');
  const call = (command: string, name: string, more: object = {}): Reply => ({
    toolCalls: [{ name: 'file_editor', arguments: { command, path: join(folder, name), ...more } }],
  });
  const replies = [
    call('view', 'a.sql'),
    call('view', 'a.sql'),
    call('create', 'a.css', { file_text: '' }),
    call('view', 'a.css'),
    { toolCalls: [{ name: 'read_file', arguments: { file_path: 'a.md' } }] },
  ];
  const server = await startModelServer((_, index) => replies[index] ?? { text: 'done' });
  const conversation = await Conversation.open({
    agent: {
      llm: { model: 'm', endpoint: { baseUrl: `${server.url}/v1` } },
      tools: ['file_editor', 'read_file'].map((name) => ({ name, params: {} })),
      context: { loadProjectSkills: true },
    },
    tools: [fileEditorTool, readFileTool],
    workspace: openLocalWorkspace(folder),
    place: { conversationsDir: join(folder, 'conversations'), durability: 'process' },
  });
  t.after(async () => {
    await conversation.close();
    await server.close();
  });
  await conversation.send('go');
  await conversation.run();
  const told = conversation.view
    .messages()
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => textOf(content).match(/RULES OF \w+/g) ?? []);
  assert.deepEqual(told, [['RULES OF sql'], [], ['RULES OF css'], [], ['RULES OF md']]);
});

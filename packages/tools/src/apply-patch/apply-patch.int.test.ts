import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
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
import { Conversation, openLocalWorkspace, textOf, type Workspace, WorkspaceError } from '@longhand/sdk';
import { startModelServer, type TriedTools, tryTools } from '@longhand/sdk/testing';
import * as fc from 'fast-check';
import iconv from 'iconv-lite';
import { commit } from './commit.ts';
import { applyPatchTool } from './tool.ts';

let above: string;
let folder: string;
let tried: TriedTools;
beforeEach(async () => {
  above = realpathSync(mkdtempSync(join(tmpdir(), 'longhand-patch-')));
  folder = join(above, 'work');
  mkdirSync(folder);
  tried = await tryTools(applyPatchTool, { folder });
});
afterEach(async () => {
  await tried.close();
  rmSync(above, { recursive: true, force: true });
});

const read = (name: string) => readFileSync(join(folder, name), 'utf8');

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** Everything in the workspace. */
function world(): { [path: string]: string } {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  return Object.fromEntries(
    files.map((name) => [name, statSync(join(folder, name)).isDirectory() ? '/' : read(name)]),
  );
}

const patch = (...lines: string[]) =>
  tried.call({ patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') });

async function applies(...lines: string[]) {
  const result = await patch(...lines);
  assert.deepEqual([result.isError, result.said], [false, 'Done.'], result.said);
  return result.observation!;
}

/** Refused, and everything as it was. */
async function refused(reason: RegExp, ...lines: string[]) {
  const before = world();
  const { isError, said } = await patch(...lines);
  assert.equal(isError, true);
  assert.match(said, reason);
  assert.deepEqual(world(), before);
}

test('a file is added with its folders, without a line ending after its last line', async () => {
  const { commit, fuzz, message } = await applies(
    '*** Add File: deep/er/a.txt',
    '+one',
    '*** Add File: empty',
  );
  assert.deepEqual([read('deep/er/a.txt'), read('empty')], ['one', '']);
  assert.deepEqual(
    [commit, fuzz, message],
    [
      {
        changes: {
          'deep/er/a.txt': { type: 'add', new_content: 'one' },
          empty: { type: 'add', new_content: '' },
        },
      },
      0,
      'Done.',
    ],
  );
});

test('a hunk appends to a file, and a file is deleted', async () => {
  file('a', 'one\ntwo\n');
  file('unended', 'one\ntwo');
  file('gone', 'x\n');
  const { commit } = await applies(
    '*** Update File: a',
    '@@',
    ' two',
    '+three',
    '*** Update File: unended',
    ' two',
    '+three',
    '*** Delete File: gone',
  );
  assert.deepEqual(world(), { a: 'one\ntwo\nthree\n', unended: 'one\ntwo\nthree' });
  assert.deepEqual((commit as { changes: { gone: unknown } }).changes.gone, {
    type: 'delete',
    old_content: 'x\n',
  });
});

test('no path leads outside the workspace', async () => {
  mkdirSync(join(above, 'work-too'));
  writeFileSync(join(above, 'work-too/secret'), 's\n');
  symlinkSync(join(above, 'work-too'), join(folder, 'link'));
  for (const path of ['/etc/x', '../x', `${folder}-too/x`, '../work-too/x', '.', 'link/x'])
    await refused(/outside the workspace/, `*** Add File: ${path}`, '+x');
  await refused(/outside the workspace/, '*** Delete File: link/secret');
  rmSync(join(folder, 'link'));
  await applies(`*** Add File: ${folder}/inside`, '+x');
  assert.equal(read('inside'), 'x');
});

test('one patch has several hunks, several files and all kinds of sections', async () => {
  file('a', 'one\ntwo\nthree\nfour\nfive\nsix\n');
  file('b', 'x\ny\n');
  file('c', 'gone\n');
  await applies(
    '*** Update File: a',
    '-one',
    '+1',
    ' two',
    '@@',
    ' five',
    '-six',
    '+6',
    '+7',
    '*** Update File: b',
    '@@',
    '-x',
    ' y',
    '*** Add File: d',
    '+new',
    '*** Delete File: c',
  );
  assert.deepEqual(world(), { a: '1\ntwo\nthree\nfour\nfive\n6\n7\n', b: 'y\n', d: 'new' });
});

test('a second hunk does not match lines that the first one used', async () => {
  file('a', 'one\ntwo\n');
  await refused(
    /Hunk 2 of a does not match/,
    '*** Update File: a',
    '-one',
    '+1',
    ' two',
    '@@',
    ' two',
    '+three',
  );
});

test('trailing white space may differ and is kept', async () => {
  file('a', 'one  \n\ttwo\nthree\n');
  assert.equal((await applies('*** Update File: a', ' one', '-\ttwo', '+2', ' three'))['fuzz'], 1);
  assert.equal(read('a'), 'one  \n2\nthree\n');
  assert.equal((await applies('*** Update File: a', '   one', '-2', '+two'))['fuzz'], 100);
  assert.equal(read('a'), 'one  \ntwo\nthree\n');
});

test('missing files, and files that are named twice, are refused', async () => {
  file('a', 'x\n');
  await refused(/none does not exist/, '*** Delete File: none');
  await refused(/none does not exist/, '*** Update File: none', '+x');
  await refused(/named twice/, '*** Add File: n', '+x', '*** Add File: ./n', '+y');
  await refused(/named twice/, '*** Delete File: a', '*** Add File: a', '+y');
  await refused(/already exists/, '*** Add File: a', '+y');
  mkdirSync(join(folder, 'sub'));
  await refused(/sub is not a file/, '*** Update File: sub', '+x');
});

test('an invalid patch is refused with the number of its line', async () => {
  for (const [reason, text] of [
    [/first line.*Begin Patch/, '*** Start\n*** Add File: a\n+x\n*** End Patch'],
    [/first line.*Begin Patch/, ''],
    [/last line.*End Patch/, '*** Begin Patch\n*** Add File: a\n+x'],
    [/names no file/, '*** Begin Patch\n*** End Patch'],
    [
      /Line 3 .*start with "\+", because the file is added: x/,
      '*** Begin Patch\n*** Add File: a\nx\n*** End Patch',
    ],
    [/Line 2 .*does not start a section.*Rename/, '*** Begin Patch\n*** Rename File: a\n*** End Patch'],
    [/Line 3 .*space, "-" or "\+": x/, '*** Begin Patch\n*** Update File: a\nx\n*** End Patch'],
    [/without lines/, '*** Begin Patch\n*** Update File: a\n@@\n*** End Patch'],
    [/needs one/, '*** Begin Patch\n*** Update File: a\n*** End Patch'],
  ] as const) {
    const { isError, said } = await tried.call({ patch: text });
    assert.equal(isError, true, text);
    assert.match(said, reason);
  }
  assert.deepEqual(world(), {});
  const blanks = await tried.call({ patch: '*** Begin Patch\n*** Add File: a\n+x\n*** End Patch \n\n' });
  assert.equal(blanks.isError, false);
});

test('a file is moved with and without a change, but not outside or over another file', async () => {
  chmodSync(file('a', 'one\n'), 0o755);
  file('b', 'two\n');
  for (const target of ['../x', '/x', 'y/../../x'])
    await refused(/relative and without/, '*** Update File: a', `*** Move to: ${target}`, '-one', '+1');
  await refused(/b already exists/, '*** Update File: a', '*** Move to: b', '-one', '+1');
  const { commit } = await applies('*** Update File: a', '*** Move to: sub/c', '-one', '+1');
  assert.deepEqual(commit, {
    changes: { a: { type: 'update', old_content: 'one\n', new_content: '1\n', move_path: 'sub/c' } },
  });
  await applies('*** Update File: b', '*** Move to: d');
  assert.deepEqual(world(), { d: 'two\n', sub: '/', 'sub/c': '1\n' });
  assert.equal(statSync(join(folder, 'sub/c')).mode & 0o777, 0o755);
});

test('an anchor selects the second of two equal places', async () => {
  const body = (name: string) => `def ${name}():\n    x = 1\n    return x\n`;
  file('a', body('f') + body('g'));
  await applies('*** Update File: a', '@@ def g():', '-    x = 1', '+    x = 2', '     return x');
  assert.equal(read('a'), body('f') + body('g').replace('1', '2'));
  const { fuzz } = await applies('*** Update File: a', '@@   def g():', '-    x = 2', '+    x = 3');
  assert.equal(fuzz, 1);
  await applies('*** Update File: a', '@@ not there', '-    x = 1', '+    x = 0');
  assert.equal(read('a'), body('f').replace('1', '0') + body('g').replace('1', '3'));
});

test('an empty line after a hunk need not be in the file', async () => {
  file('a', 'one\ntwo\nthree\n');
  await applies(
    '*** Update File: a',
    '-one',
    '+1',
    '',
    '@@',
    ' two',
    '-three',
    '+3',
    '',
    '*** Add File: b',
    '+x',
  );
  assert.deepEqual(world(), { a: '1\ntwo\n3\n', b: 'x' });
});

test('several anchors narrow the place down', async () => {
  const method = (value: number) => `  def f(self):\n    return ${value}\n`;
  file('a', `class A:\n${method(1)}class B:\n${method(1)}`);
  await applies('*** Update File: a', '@@ class B:', '@@   def f(self):', '-    return 1', '+    return 2');
  assert.equal(read('a'), `class A:\n${method(1)}class B:\n${method(2)}`);
});

test('an empty file and the end of a file are matched', async () => {
  file('a', '');
  await applies('*** Update File: a', '+text');
  assert.equal(read('a'), 'text\n');
  file('b', 'x\ny\nx\n');
  assert.equal((await applies('*** Update File: b', ' x', '+z', '*** End of File'))['fuzz'], 0);
  assert.equal(read('b'), 'x\ny\nx\nz\n');
  assert.equal((await applies('*** Update File: b', '-y', '+Y', '*** End of File'))['fuzz'], 10_000);
  await applies('*** Update File: b', '+last', '*** End of File');
  assert.equal(read('b'), 'x\nY\nx\nz\nlast\n');
  file('c', 'one\ntwo');
  await applies('*** Update File: c', '-two');
  assert.equal(read('c'), 'one');
  await applies('*** Update File: c', '-one');
  assert.equal(read('c'), '');
});

test('line endings, encoding, mode and links of a file are kept', async () => {
  chmodSync(file('crlf', 'one\r\ntwo\r\nthree\n'), 0o700);
  symlinkSync('crlf', join(folder, 'link'));
  await applies('*** Update File: link', ' one', '+more', '-two', ' three');
  assert.equal(read('crlf'), 'one\r\nmore\r\nthree\n');
  assert.equal(statSync(join(folder, 'crlf')).mode & 0o777, 0o700);
  file('sjis', iconv.encode('# コメント\n日本語のテキスト\n', 'shift_jis'));
  await applies('*** Update File: sjis', ' # コメント', '-日本語のテキスト', '+英語のテキスト');
  const bytes = readFileSync(join(folder, 'sjis'));
  assert.equal(iconv.decode(bytes, 'shift_jis'), '# コメント\n英語のテキスト\n');
  file('binary', Buffer.from([1, 0, 2]));
  await refused(/binary/, '*** Update File: binary', '+x');
  await applies('*** Delete File: binary', '*** Delete File: link');
  assert.deepEqual([existsSync(join(folder, 'binary')), existsSync(join(folder, 'crlf'))], [false, true]);
});

test('a failure in the middle reverts what was written before it', async () => {
  file('a', 'one\n');
  file('gone', 'x\n');
  await refused(
    /nothing was changed: .*ENAMETOOLONG/,
    '*** Update File: a',
    '-one',
    '+1',
    '*** Add File: new/deep/b',
    '+b',
    '*** Delete File: gone',
    `*** Add File: other/${'n'.repeat(256)}`,
    '+c',
  );
});

test('a file that could not be written at all is not reverted', async () => {
  const workspace: Workspace = {
    ...tried.workspace,
    writeFile: (path, bytes) =>
      path.endsWith('/b')
        ? Promise.reject(new WorkspaceError('storage_full', `${path}: no space left`))
        : tried.workspace.writeFile(path, bytes),
  };
  const changes = ['a', 'b'].map((name) => ({
    type: 'write' as const,
    path: file(name, 'old'),
    bytes: Buffer.from('new'),
    before: Buffer.from('old'),
  }));
  await assert.rejects(commit(changes, workspace), /nothing was changed: .*no space left/);
  assert.deepEqual([read('a'), read('b')], ['old', 'old']);
});

test('every path of a patch is locked while it is applied', () => {
  const [tool] = tried.tools;
  const text = '*** Update File: a\n*** Move to: b/../c\n@@\n+x\n*** Delete File: /d\nnonsense';
  assert.deepEqual(tool!.resources!({ patch: text } as never), [
    `file:${folder}/a`,
    `file:${folder}/c`,
    'file:/d',
  ]);
});

test('property: a patch made from two versions of a file turns one into the other', async () => {
  const version = fc.array(
    fc.tuple(fc.nat(2), fc.array(fc.constantFrom('new', '', ' +x', '-y'), { maxLength: 2 })),
    {
      minLength: 1,
      maxLength: 15,
    },
  );
  await fc.assert(
    fc.asyncProperty(version, fc.boolean(), fc.boolean(), async (steps, isCrlf, isUnended) => {
      const hunk = steps.flatMap(([what, come], i) => [
        what === 0 ? `-line ${i}` : ` line ${i}`,
        ...come.map((line) => `+${line}`),
      ]);
      const [old, now] = ['+', '-'].map((sign) =>
        hunk.filter((line) => line[0] !== sign).map((line) => line.slice(1)),
      ) as [string[], string[]];
      const eol = isCrlf && (old.length > 1 || !isUnended) ? '\r\n' : '\n';
      const content = (lines: string[]) =>
        lines.length === 0 ? '' : lines.join(eol) + (isUnended ? '' : eol);
      file('a', content(old));
      await applies('*** Update File: a', ...hunk);
      assert.equal(read('a'), content(now));
    }),
    { numRuns: 100 },
  );
});

test('knowledge for a path is added to the result of a patch that changes such a file', async (t) => {
  file('.agents/skills/sql.md', '---\nname: sql\npaths: "*.sql"\n---\nRULES OF SQL\n');
  const text = '*** Begin Patch\n*** Add File: b.txt\n+x\n*** Add File: a.sql\n+select 1;\n*** End Patch';
  const server = await startModelServer((_, index) =>
    index === 0 ? { toolCalls: [{ name: 'apply_patch', arguments: { patch: text } }] } : { text: 'done' },
  );
  const conversation = await Conversation.open({
    agent: {
      llm: { model: 'm', endpoint: { baseUrl: `${server.url}/v1` } },
      tools: [{ name: 'apply_patch', params: {} }],
      context: { loadProjectSkills: true },
    },
    tools: [applyPatchTool],
    workspace: openLocalWorkspace(folder),
    place: { conversationsDir: join(above, 'conversations'), durability: 'process' },
  });
  t.after(async () => {
    await conversation.close();
    await server.close();
  });
  await conversation.send('go');
  await conversation.run();
  const result = conversation.view.messages().find(({ role }) => role === 'tool')!;
  assert.match(textOf(result.content), /^Done\.\n.*RULES OF SQL/s);
  assert.equal(read('a.sql'), 'select 1;');
});

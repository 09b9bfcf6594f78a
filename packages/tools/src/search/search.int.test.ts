import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, type TestContext, test } from 'node:test';
import { openLocalWorkspace, type ToolFactory, textOf, type Workspace } from '@longhand/sdk';
import { tryTools } from '@longhand/sdk/testing';
import { defined } from '@longhand/sdk/value';
import * as fc from 'fast-check';
import { globTool } from './glob.ts';
import { grepTool } from './grep.ts';
import { findRipgrep } from './ripgrep.ts';

/** Workspaces that make the tools take each of their ways. */
const WAYS: readonly (readonly [name: string, (local: Workspace) => Workspace])[] = [
  ['ripgrep', (local) => local],
  // A package has no program for another machine.
  ['file by file', (local) => ({ ...local, which: async () => [], platform: 'aix' })],
];

let folder: string;
let local: Workspace;
let clock: number;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'longhand-search-')));
  local = openLocalWorkspace(folder);
  clock = 1_700_000_000;
});
afterEach(async () => {
  await local.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Each is newer than the one before. */
function file(name: string, content: string | Uint8Array = ''): void {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  clock += 10;
  utimesSync(path, clock, clock);
}

interface Answer {
  readonly names: readonly string[];
  readonly said: string;
  readonly [key: string]: unknown;
}

async function ask(factory: ToolFactory, workspace: Workspace, args: object): Promise<Answer> {
  const [tool] = await factory.create({ workspace, files: null, vision: true, onWarning: assert.fail }, {});
  const result = await tool!.run(args, { signal: new AbortController().signal } as never);
  const files = (result['matches'] ?? result['files']) as string[];
  return { ...result, names: files.map((path) => relative(folder, path)), said: textOf(result.content) };
}

/** The same test in every way. */
function inEveryWay(
  name: string,
  body: (grep: (args: object) => Promise<Answer>, glob: (args: object) => Promise<Answer>) => Promise<void>,
): void {
  for (const [way, through] of WAYS) {
    test(`${name} (${way})`, async (t: TestContext) => {
      if (way === 'ripgrep' && (await findRipgrep(local)) === null) return t.skip('needs ripgrep');
      const workspace = through(local);
      await body(
        (args) => ask(grepTool, workspace, args),
        (args) => ask(globTool, workspace, args),
      );
    });
  }
}

inEveryWay('finds files with a matching line, ignoring case, newest first', async (grep) => {
  file('a.py', 'def Hello():\n');
  file('b.txt', 'nothing\n');
  file('sub/c.ts', 'x\nsay hello(\n');
  const found = await grep({ pattern: 'HELLO\\(' });
  assert.deepEqual(found.names, ['sub/c.ts', 'a.py']);
  assert.deepEqual(
    { ...found, names: 0, said: 0, content: 0 },
    {
      names: 0,
      said: 0,
      content: 0,
      is_error: false,
      matches: [`${folder}/sub/c.ts`, `${folder}/a.py`],
      pattern: 'HELLO\\(',
      search_path: folder,
      truncated: false,
    },
  );
  assert.equal(found.said, `${folder}/sub/c.ts\n${folder}/a.py`);
  assert.deepEqual((await grep({ pattern: '^say' })).names, ['sub/c.ts']);
  assert.deepEqual((await grep({ pattern: 'hello', path: 'sub' })).names, ['sub/c.ts']);
  assert.deepEqual((await grep({ pattern: 'hello', path: `${folder}/sub` })).names, ['sub/c.ts']);
});

inEveryWay('include takes base names, braces and paths', async (grep) => {
  for (const name of ['a.py', 'b.ts', 'sub/c.py', 'sub/d.tsx']) file(name, 'x\n');
  const including = async (include: string) => (await grep({ pattern: 'x', include })).names;
  assert.deepEqual(await including('*.py'), ['sub/c.py', 'a.py']);
  assert.deepEqual(await including('*.{ts,tsx}'), ['sub/d.tsx', 'b.ts']);
  assert.deepEqual(await including('sub/*.py'), ['sub/c.py']);
  assert.deepEqual(await including('**/*.py'), ['sub/c.py', 'a.py']);
  assert.equal((await grep({ pattern: 'x', include: '*.py' }))['include_pattern'], '*.py');
  await assert.rejects(including('[a'), /not a glob/);
});

inEveryWay('finding nothing is not an error; a bad pattern or a missing folder is', async (grep, glob) => {
  file('a', 'x\n');
  const none = await grep({ pattern: 'nowhere' });
  assert.deepEqual([none.names, none['is_error'], none['truncated']], [[], false, false]);
  assert.match(none.said, /No file below/);
  await assert.rejects(grep({ pattern: '[invalid' }), /The search failed/);
  for (const path of ['none', 'a']) {
    await assert.rejects(grep({ pattern: 'x', path }), /no folder/);
    await assert.rejects(glob({ pattern: '*', path }), /no folder/);
  }
});

inEveryWay('a pattern that looks like an option is a pattern', async (grep) => {
  file('a', 'x --files y\n');
  file('-b', 'z\n');
  assert.deepEqual((await grep({ pattern: '--files' })).names, ['a']);
  assert.deepEqual((await grep({ pattern: '-e' })).names, []);
  assert.deepEqual((await grep({ pattern: 'z' })).names, ['-b']);
  assert.deepEqual((await grep({ pattern: '(?<=x )--' })).names, ['a']);
});

inEveryWay('lists the newest hundred; exactly a hundred are all', async (grep, glob) => {
  for (let i = 0; i < 100; i += 1) file(`f${i}`, 'x\n');
  const whole = await glob({ pattern: '*' });
  assert.deepEqual([whole.names.length, whole['truncated']], [100, false]);
  for (let i = 100; i < 150; i += 1) file(`f${i}`, 'x\n');
  for (const found of [await grep({ pattern: 'x' }), await glob({ pattern: '*' })]) {
    assert.deepEqual(
      found.names,
      Array.from({ length: 100 }, (_, i) => `f${149 - i}`),
    );
    assert.equal(found['truncated'], true);
    assert.match(found.said, /There are more/);
  }
});

inEveryWay('hidden folders never, hidden files only if include names them', async (grep) => {
  for (const name of ['.env', '.hidden/.env', '.hidden/a', 'sub/.env', 'b']) file(name, 'x\n');
  assert.deepEqual((await grep({ pattern: 'x' })).names, ['b']);
  assert.deepEqual((await grep({ pattern: 'x', include: '*' })).names, ['b']);
  assert.deepEqual((await grep({ pattern: 'x', include: '.env' })).names, ['sub/.env', '.env']);
  assert.deepEqual((await grep({ pattern: 'x', path: '.hidden' })).names, ['.hidden/a']);
});

inEveryWay('files in .gitignore are skipped, even if the pattern names them', async (grep, glob) => {
  file('.gitignore', '*.log\n/build\n!keep.log\n');
  file('sub/.gitignore', 'secret*\n');
  for (const name of ['a.log', 'keep.log', 'build/x', 'sub/build/y', 'sub/secret.txt', 'secret.txt'])
    file(name, 'x\n');
  const kept = ['secret.txt', 'sub/build/y', 'keep.log'];
  assert.deepEqual((await grep({ pattern: 'x' })).names, kept);
  assert.deepEqual((await glob({ pattern: '' })).names, kept);
  assert.deepEqual((await grep({ pattern: 'x', include: '*.log' })).names, ['keep.log']);
  assert.deepEqual((await glob({ pattern: '*.log' })).names, ['keep.log']);
  assert.deepEqual((await glob({ pattern: '*', path: 'sub' })).names, ['sub/build/y']);
});

inEveryWay('binary files and links are not searched, encodings with a mark are', async (grep) => {
  file('binary', Buffer.from('x\0x\n'));
  file('utf16', Buffer.from('\ufeffgrüß x\n', 'utf16le'));
  file('plain', 'x\n');
  symlinkSync('plain', join(folder, 'link'));
  assert.deepEqual((await grep({ pattern: 'x' })).names, ['plain', 'utf16']);
});

inEveryWay('any depth without **; absolute patterns; braces and sets; case counts', async (_, glob) => {
  for (const name of ['a.py', 'src/b.py', 'src/deep/c.PY', 'src/deep/d.json', 'e.yaml', '[x]']) file(name);
  const named = async (pattern: string, path?: string) =>
    (await glob({ pattern, ...defined({ path }) })).names;
  assert.deepEqual(await named('*.py'), ['src/b.py', 'a.py']);
  assert.deepEqual(await named('./src/*.py'), ['src/b.py']);
  assert.deepEqual(await named('src/**/*.{json,PY}'), ['src/deep/d.json', 'src/deep/c.PY']);
  assert.deepEqual(await named('*.[jy]*'), ['e.yaml', 'src/deep/d.json']);
  assert.deepEqual(await named(`${folder}/src/**/*.py`), ['src/b.py']);
  assert.deepEqual(await named(`${folder}/a.py`, 'src'), ['a.py']);
  assert.deepEqual(await named('*.py', 'src'), ['src/b.py']);
  assert.deepEqual(await named('\\[x\\]'), ['[x]']);
  assert.equal((await named('')).length, 6);
  const { files, search_path, pattern } = await glob({ pattern: `${folder}/src/*.py` });
  assert.deepEqual(
    [files, search_path, pattern],
    [[`${folder}/src/b.py`], `${folder}/src`, `${folder}/src/*.py`],
  );
});

inEveryWay(
  'hidden entries only if named; links under their own names, and not in circles',
  async (_, glob) => {
    for (const name of ['.github/w/a.yml', '.b.yml', 'real/c.yml']) file(name);
    symlinkSync('real', join(folder, 'link'));
    symlinkSync('..', join(folder, 'real/up'));
    const named = async (pattern: string) => [...(await glob({ pattern })).names].sort();
    assert.deepEqual(await named('*.yml'), ['link/c.yml', 'real/c.yml']);
    assert.deepEqual(await named('.github/**'), ['.github/w/a.yml']);
    assert.deepEqual(await named('.*.yml'), ['.b.yml']);
  },
);

inEveryWay('five searches at once answer the same', async (grep) => {
  for (let i = 0; i < 20; i += 1) file(`f${i}`, i % 2 === 0 ? 'x\n' : 'y\n');
  const answers = await Promise.all(Array.from({ length: 5 }, () => grep({ pattern: 'x' })));
  for (const { names } of answers) assert.deepEqual(names, answers[0]!.names);
  assert.equal(answers[0]!.names.length, 10);
});

inEveryWay('an empty include is ignored; one with a colon works', async (grep) => {
  for (const name of ['a:b', 'c.py']) file(name, 'x\n');
  assert.deepEqual([...(await grep({ pattern: 'x', include: '' })).names].sort(), ['a:b', 'c.py']);
  assert.deepEqual((await grep({ pattern: 'x', include: 'a:b' })).names, ['a:b']);
  assert.deepEqual((await grep({ pattern: 'x', include: '*:?' })).names, ['a:b']);
});

test('an interrupt ends a search', async () => {
  file('a', 'x\n');
  for (const [, through] of WAYS) {
    const [tool] = await grepTool.create(
      { workspace: through(local), files: null, vision: true, onWarning: assert.fail },
      {},
    );
    const signal = AbortSignal.abort(new Error('stopped'));
    await assert.rejects(tool!.run({ pattern: 'x' }, { signal } as never), /stopped/);
  }
});

test("~ is the home of the workspace's programs", async (t) => {
  const { HOME } = process.env;
  process.env['HOME'] = folder;
  t.after(() => {
    if (HOME === undefined) delete process.env['HOME'];
    else process.env['HOME'] = HOME;
  });
  file('sub/a.py');
  assert.deepEqual((await ask(globTool, local, { pattern: '~/sub/*.py' })).names, ['sub/a.py']);
  assert.deepEqual((await ask(globTool, local, { pattern: '*.py', path: '~/sub' })).names, ['sub/a.py']);
});

test("the workspace's own rg takes precedence", async (t) => {
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/rg'), '#!/bin/sh\nprintf "%s/found by it\\0" "$PWD"\n');
  chmodSync(join(folder, 'bin/rg'), 0o755);
  const { PATH } = process.env;
  process.env['PATH'] = `${folder}/bin:${PATH}`;
  t.after(() => {
    process.env['PATH'] = PATH;
  });
  assert.equal(await findRipgrep(local), 'rg');
  assert.deepEqual((await ask(grepTool, local, { pattern: 'x' })).names, ['found by it']);
});

test('called by the agent: results and refusals, and calls run in parallel', async () => {
  file('a.py', 'x\n');
  for (const [factory, args, bad] of [
    [grepTool, { pattern: 'x' }, { pattern: '[' }],
    [globTool, { pattern: '*.py' }, { pattern: '[' }],
  ] as const) {
    const tried = await tryTools(factory, { folder });
    const [tool] = tried.tools;
    assert.deepEqual([tool!.annotations.readOnlyHint, tool!.resources!(args)], [true, []]);
    assert.equal((await tried.call(args)).said, `${folder}/a.py`);
    assert.equal((await tried.call(bad)).isError, true);
    assert.match((await tried.call({ ...args, path: 'n'.repeat(300) })).said, /^[^:]+: ENAMETOOLONG/);
    await tried.close();
  }
});

test('property: ripgrep and reading file by file find the same', async (t) => {
  if ((await findRipgrep(local)) === null) return t.skip('needs ripgrep');
  const name = fc.constantFrom('a', 'b.py', 'c.log', '.d', 'e', 'f.PY');
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
  const rule = fc.constantFrom('*.log', 'a/', '/b.py', '!c.log', 'e', 'a/b.py', '**/e/*', '*.[pP]?', '!/a');
  const pattern = fc.constantFrom('*', '*.py', 'a/**', '**/e', '.d', '.d/**', '{a,e}/*', '[a-c]*', '');
  const include = fc.option(fc.constantFrom('*.py', '.d', '*', 'a/*', '{a,e}'), { nil: undefined });
  let round = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(path, { minLength: 1, maxLength: 8 }),
      fc.array(rule, { maxLength: 3 }),
      fc.array(rule, { maxLength: 2 }),
      pattern,
      include,
      async (paths, rules, deeper, glob, wanted) => {
        const base = `round-${++round}`;
        for (const [i, each] of paths.entries()) {
          const isTaken = paths.some((other) => other.startsWith(`${each}/`) || each.startsWith(`${other}/`));
          file(`${base}/${isTaken ? `${each}-${i}` : each}`, i % 3 === 0 ? 'nothing\n' : 'Word\n');
        }
        file(`${base}/.gitignore`, rules.join('\n'));
        if (deeper.length > 0 && !paths.includes('a')) file(`${base}/a/.gitignore`, deeper.join('\n'));
        const found = await Promise.all(
          WAYS.flatMap(([, through]) => [
            ask(globTool, through(local), { pattern: glob, path: base }),
            ask(grepTool, through(local), {
              pattern: 'word',
              path: base,
              ...defined({ include: wanted }),
            }),
          ]),
        );
        const [globbed, grepped, globbedToo, greppedToo] = found.map(({ names }) => names);
        assert.deepEqual([globbed, grepped], [globbedToo, greppedToo]);
      },
    ),
    { numRuns: 60 },
  );
});

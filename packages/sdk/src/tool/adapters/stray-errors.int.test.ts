/** Foreign tools that throw when nobody waits for them; in a process of its own, since the test runner catches such errors too. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

const folder = mkdtempSync(join(tmpdir(), 'longhand-stray-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const at = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);

/** The lines of a program that has `call(execute)`, which calls such a tool, and how it ended. */
function ran(program: string): {
  readonly code: number | null;
  readonly lines: readonly string[];
  readonly stderr: string;
} {
  const file = join(folder, 'program.ts');
  const head = `
    import { adaptTool } from ${at('./adapt-tool.ts')};
    import { tryTools } from ${at('../../testing/try-tools.ts')};
    const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    const opened = [];
    async function call(execute, options = {}) {
      const tool = { name: 'stray', parameters: {}, execute };
      const tried = await tryTools(await adaptTool(tool, options), { folder: ${JSON.stringify(folder)} });
      opened.push(tried);
      const { said, isError } = await tried.call({});
      console.log(isError ? 'error' : 'result', said.split('\\n').find((line) => !/^(\\[|$)/.test(line)));
      return tried;
    }
    process.on('exit', () => console.log('ended'));
  `;
  writeFileSync(file, head + program);
  const flags = ['--conditions=longhand-source', '--disable-warning=ExperimentalWarning'];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, file], { encoding: 'utf8' });
  return { code: status, lines: stdout.trim().split('\n'), stderr };
}

const LATER: readonly (readonly [string, string])[] = [
  ['a timer', "setTimeout(() => { throw new Error('stray'); }, 1);"],
  ['a promise that it dropped', "void (async () => { await sleep(1); throw new Error('stray'); })();"],
  [
    'a callback',
    "import('node:fs').then((fs) => fs.readFile('/nowhere', () => { throw new Error('stray'); }));",
  ],
];
for (const [from, code] of LATER) {
  test(`an error from ${from} while the call runs is its result`, () => {
    const { code: status, lines } = ran(`await call(async () => { ${code} await sleep(60_000); });
      console.log('goes on'); process.exit();`);
    assert.deepEqual([status, lines], [0, ['error Error: stray', 'goes on', 'ended']]);
  });
  test(`an error from ${from} after the call is a warning, and the process goes on`, () => {
    const { code: status, lines } = ran(`const { warnings } = await call(() => { ${code} return 'ran'; });
      while (warnings.length === 0) await sleep(5);
      console.log(warnings[0]);`);
    const warning = 'the tool stray failed after its call had ended: Error: stray';
    assert.deepEqual([status, lines], [0, ['result ran', warning, 'ended']]);
  });
}

test('a gate that throws from a timer counts as one that asks for approval', () => {
  const gate =
    "() => { setTimeout(() => { throw new Error('stray'); }, 1); return new Promise(() => undefined); }";
  const { code, lines } = ran(`await call(() => 'ran', { needsApproval: ${gate} }); process.exit();`);
  assert.equal(code, 0);
  assert.match(lines[0] ?? '', /^error The call needs the approval/);
});

test('an error of the program itself still ends the process', () => {
  const { code, stderr, lines } = ran(`await call(() => 'ran');
    setTimeout(() => { throw new Error('mine'); }, 1); await sleep(1_000); console.log('goes on');`);
  assert.deepEqual([code, lines], [1, ['result ran', 'ended']]);
  assert.match(stderr, /Error: mine/);
});

test("the program's own listener gets its own errors, and the process goes on as it says", () => {
  const { code, lines } =
    ran(`process.on('uncaughtException', ({ message }) => console.log('heard', message));
    await call(() => 'ran'); setTimeout(() => { throw new Error('mine'); }, 1); await sleep(50);`);
  assert.deepEqual([code, lines], [0, ['result ran', 'heard mine', 'ended']]);
});

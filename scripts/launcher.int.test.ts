/** `./longhand` on a fresh clone, with an npm and a Node that only report that they were called. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';

interface Clone {
  readonly root: string;
  readonly lock: string;
  run(): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;
  /** How many times npm was called. */
  installed(): number;
}

function clone(t: TestContext, npm: string): Clone {
  const root = mkdtempSync(join(tmpdir(), 'longhand-launcher-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const script = (path: string, body: string) => {
    writeFileSync(join(root, path), `#!/bin/sh\n${body}\n`);
    chmodSync(join(root, path), 0o755);
  };
  cpSync(resolve(import.meta.dirname, '../longhand'), join(root, 'longhand'));
  for (const folder of ['packages', 'scripts', 'bin']) mkdirSync(join(root, folder));
  for (const file of ['package-lock.json', 'scripts/bundle.ts']) writeFileSync(join(root, file), '');
  script('node', 'echo "ran $*"');
  script('bin/npm', `echo called >> '${root}/calls'\n${npm}`);
  const calls = join(root, 'calls');
  return {
    root,
    lock: join(root, '.longhand-install'),
    run: () =>
      new Promise((done) => {
        const env = { ...process.env, PATH: `${root}/bin:${process.env['PATH']}` };
        execFile(join(root, 'longhand'), ['help'], { env }, (error, stdout, stderr) =>
          done({ code: Number(error?.code ?? 0), stdout, stderr }),
        );
      }),
    installed: () => (existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n').length : 0),
  };
}

/** A minimal npm ci: removes node_modules, then installs Node and a finished bundle. */
const FETCHES = `rm -rf node_modules; sleep 0.3
mkdir -p node_modules/node/bin node_modules/.cache/longhand
cp node node_modules/node/bin/node
touch node_modules/.cache/longhand/longhand.js node_modules/.package-lock.json`;

test('several processes that start at once install once, and all run', async (t) => {
  const { run, installed, lock } = clone(t, FETCHES);
  const all = await Promise.all([run(), run(), run()]);
  for (const { code, stdout } of all) {
    assert.equal(code, 0, JSON.stringify(all));
    assert.match(stdout, /^ran .*longhand\.js help$/m);
  }
  assert.equal(installed(), 1);
  assert.equal(existsSync(lock), false);
});

test('an npm that fails, or stops early and reports success, is reported with its output and run again the next time', async (t) => {
  for (const npm of ['echo "no network"; exit 1', 'echo "no network"; exit 0']) {
    const { run, installed, lock } = clone(t, npm);
    for (const times of [1, 2]) {
      const { code, stderr } = await run();
      assert.equal(code, 1);
      assert.match(stderr, /no network\nlonghand: npm ci failed; see above\n$/);
      assert.equal(installed(), times);
    }
    assert.equal(existsSync(lock), false);
  }
});

test('the lock of a process that was killed while installing is not waited for', async (t) => {
  const { run, lock } = clone(t, FETCHES);
  const { pid } = execFile('true');
  mkdirSync(lock);
  writeFileSync(join(lock, 'pid'), `${pid}\n`);
  const { code, stderr } = await run();
  assert.equal(code, 0, stderr);
});

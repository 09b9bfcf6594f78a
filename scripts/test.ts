/**
 * Runs the tests: `npm test`, or `npm test -- WORD` for the files whose path contains a word. The last line is
 * `N passed, N failed`. System programs that tests need are installed first where possible.
 */
import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { bundle } from './bundle.ts';

/** System programs that tests need: a command that succeeds if the program is installed, and its Debian package. */
const PROGRAMS: readonly { readonly probe: readonly string[]; readonly debian: string }[] = [
  { probe: ['which', 'bash'], debian: 'bash' },
  { probe: ['which', 'git'], debian: 'git' },
  { probe: ['which', 'zsh'], debian: 'zsh' },
  { probe: ['which', 'fish'], debian: 'fish' },
  { probe: ['which', 'chromium'], debian: 'chromium' },
  { probe: ['/usr/bin/python3', '-c', 'import ipykernel'], debian: 'python3-ipykernel' },
];
/** Several times what the slowest file takes on an idle machine. */
const FILE_TIMEOUT_MS = 300_000;

const root = resolve(import.meta.dirname, '..');
const words = process.argv.slice(2);
const files = globSync('{packages/*/src,scripts,bench,examples,e2e}/**/*.test.ts', { cwd: root })
  .filter((file) => words.every((word) => file.includes(word)))
  .sort()
  .map((file) => resolve(root, file));

installPrograms();
const command = await bundledCommand();
// Tests do not depend on the configuration of this user.
const home = mkdtempSync(join(tmpdir(), 'longhand-test-home-'));
process.env['HOME'] = home;
const counts = { passed: 0, failed: 0, skipped: 0 };
const missing: string[] = [];
const inCi = process.env['CI'] === 'true';

const stream = run({
  files,
  concurrency: 2,
  timeout: FILE_TIMEOUT_MS,
  execArgv: ['--conditions=longhand-source', '--disable-warning=ExperimentalWarning'],
});
stream.on('test:pass', ({ name, skip, todo, details }) => {
  if (details.type === 'suite' || todo !== undefined) return;
  if (skip === undefined) counts.passed += 1;
  else {
    counts.skipped += 1;
    if (String(skip).startsWith('needs ')) missing.push(`${name}: ${skip}`);
  }
});
stream.on('test:fail', ({ todo, details }) => {
  if (details.type !== 'suite' && todo === undefined) counts.failed += 1;
});
stream.compose(new spec()).pipe(process.stdout);
stream.on('end', () => {
  for (const folder of [command, home])
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  setImmediate(report);
});

function report(): void {
  const { passed, failed, skipped } = counts;
  if (inCi)
    for (const each of missing)
      console.log(`skipped because a program is missing, which counts as a failure in CI: ${each}`);
  const failures = failed + (inCi ? missing.length : 0);
  console.log(`${passed} passed, ${failures} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  process.exitCode = failures > 0 || passed === 0 ? 1 : 0;
}

/** The command as it is installed: it starts ten times as fast as from source, and bundling can cause faults of its own. */
async function bundledCommand(): Promise<string | undefined> {
  if (!files.some((file) => file.includes('/cli/'))) return undefined;
  const folder = resolve(root, `node_modules/.cache/longhand-test-${process.pid}`);
  await bundle(folder);
  process.env['LONGHAND_TEST_COMMAND'] = resolve(folder, 'longhand.js');
  return folder;
}

/** On Debian as root; elsewhere the tests report what they skip. */
function installPrograms(): void {
  const wanted = PROGRAMS.filter(
    ({ probe: [program = '', ...args] }) => spawnSync(program, args).status !== 0,
  ).map(({ debian }) => debian);
  if (wanted.length === 0 || process.getuid?.() !== 0 || spawnSync('which', ['apt-get']).status !== 0) return;
  console.log(`installing ${wanted.join(', ')}`);
  spawnSync('apt-get', ['update', '-q'], { stdio: 'ignore' });
  spawnSync('apt-get', ['install', '-y', '-q', ...wanted], {
    stdio: 'ignore',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
}

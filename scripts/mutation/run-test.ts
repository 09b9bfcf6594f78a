import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Outcome = 'passed' | 'failed' | 'timed out';

/** Runs one test file in a process of its own, until the first failure or the limit. */
export async function runTest(
  path: string,
  env: { readonly [name: string]: string },
  limitMs: number,
  execArgv: readonly string[] = [],
): Promise<Outcome> {
  const home = mkdtempSync(join(tmpdir(), 'mutation-home-'));
  const options = ['--conditions=longhand-source', ...execArgv];
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--test-reporter=tap', path],
    {
      // A group of its own, so that what a mutant leaves running ends with it.
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, HOME: home, HISTORIES: '300', NODE_OPTIONS: options.join(' '), ...env },
    },
  );
  const end = (): void => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    } catch {
      // it has ended already
    }
  };
  try {
    return await new Promise<Outcome>((resolve, reject) => {
      const timer = setTimeout(() => resolve('timed out'), limitMs);
      let rest = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        if (lines.some((line) => /^ *not ok (?!.*# (TODO|SKIP))/i.test(line))) resolve('failed');
      });
      child.on('error', reject);
      child.on('close', (code) => {
        clearTimeout(timer);
        resolve(code === 0 ? 'passed' : 'failed');
      });
    });
  } finally {
    end();
    rmSync(home, { recursive: true, force: true });
  }
}

/** For tests: the real command as a child process, in a home of its own; as it is installed if there is such a one, else from source. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

const INSTALLED = process.env['LONGHAND_TEST_COMMAND'];
const MAIN =
  INSTALLED === undefined
    ? ['--conditions=longhand-source', join(import.meta.dirname, '../src/main.ts')]
    : [INSTALLED];

export interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StartOptions {
  /** Written to standard input, which is then closed; null leaves it open and silent. */
  readonly input?: string | Uint8Array | null;
  readonly env?: object;
  /** A file for standard output, of which nothing is kept then. */
  readonly stdout?: number;
}

export interface Place {
  readonly home: string;
  /** An empty folder to work in. */
  readonly work: string;
  readonly env: { readonly [name: string]: string };
  start(args: readonly string[], options?: StartOptions): Running;
  /** Runs it to its end. */
  longhand(args: readonly string[], options?: StartOptions): Promise<Result>;
}

export interface Running {
  readonly child: ChildProcess;
  readonly result: Promise<Result>;
  /** Resolves when standard output has contained the text. */
  shows(text: string): Promise<void>;
}

/** A home and a folder that are gone when the test is over. */
export function makePlace(t: TestContext): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'longhand-cli-test-')));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const home = mkdtempSync(join(root, 'home-'));
  const work = mkdtempSync(join(root, 'work-'));
  // Nothing of the developer's: no keys, no model, and no test runner that the child would believe to be part of.
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    TMPDIR: root,
    LANG: 'C.UTF-8',
    LLM_NUM_RETRIES: '1',
  };
  const start: Place['start'] = (args, options = {}) => run(args, work, { ...env, ...options.env }, options);
  return { home, work, env, start, longhand: (args, options) => start(args, options).result };
}

function run(
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  { input = '', stdout }: StartOptions,
): Running {
  const child = spawn(process.execPath, [...MAIN, ...args], {
    cwd,
    env,
    stdio: ['pipe', stdout ?? 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text;
      for (const look of waiting) look();
    });
  }
  child.stdin?.on('error', () => undefined); // it may not read what it is given
  if (input !== null) child.stdin?.end(input);
  const result = once(child, 'close').then(([code]) => ({ code: code as number | null, ...output }));
  const shows = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (!output.stdout.includes(text)) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
      result.then(
        () => reject(new Error(`ended without showing "${text}": ${JSON.stringify(output)}`)),
        reject,
      );
    });
  return { child, result, shows };
}

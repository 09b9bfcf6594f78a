/**
 * What a repository prepares for those who work in it: `setup.sh` is sourced, and what it exports applies to the agent's
 * programs too; `pre-commit.sh` becomes a git hook. Names, locations and the time limit are those of OpenHands V0.
 */

import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLocalWorkspace } from '@longhand/sdk';
import { makeFolder } from '@longhand/sdk/internal';
import { tailOf } from '@longhand/sdk/value';
import { Interrupted, onInterrupt } from '../interrupts.ts';
import type { Environment } from './git.ts';

const FOLDERS = ['.longhand', '.openhands'];
const TIMEOUT_MS = 600_000;
const SAID_AT_MOST = 2_000;
const HOOK_MARK = '# Written by longhand.';

/** Writes the environment to a file at the end, however the script ends. */
const SOURCED = `longhand_environment=$1
trap 'env -0 > "$longhand_environment" 2> /dev/null' EXIT
. "./$0"`;

/** Variables of the shell itself, and those that decide where requests and keys go: a repository must not send your key elsewhere. */
const KEPT = /^(PWD|OLDPWD|SHLVL|_|BASH_.*|(LONGHAND|OPENHANDS|LLM)_.*|.*_API_KEY|.*_(BASE|API)_URL)$/;

export interface SetupOptions {
  /** Called with each piece of output. */
  readonly output: (text: string) => void;
  readonly say: (line: string) => void;
  readonly warn: (text: string) => void;
}

/**
 * The variables that the script has set or changed. A failing script leads to a warning: the agent may work without it. Throws
 * Interrupted.
 */
export async function setUp(directory: string, options: SetupOptions): Promise<Environment> {
  const script = scriptIn(directory, 'setup.sh');
  const changed = script === undefined ? {} : await sourced(directory, script, options);
  const hook = scriptIn(directory, 'pre-commit.sh');
  if (hook !== undefined && existsSync(join(directory, '.git'))) installHook(directory, hook);
  return changed;
}

function scriptIn(directory: string, name: string): string | undefined {
  return FOLDERS.map((folder) => `${folder}/${name}`).find((path) => existsSync(join(directory, path)));
}

async function sourced(directory: string, script: string, options: SetupOptions): Promise<Environment> {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-setup-'));
  const file = join(folder, 'environment');
  try {
    await runScript(directory, ['bash', '-c', SOURCED, script, file], script, options);
    return existsSync(file) ? changesIn(readFileSync(file, 'utf8'), process.env) : {};
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function changesIn(source: string, before: Environment): Environment {
  const now = source.split('\0').flatMap((entry): [string, string][] => {
    const [name = '', ...value] = entry.split('=');
    return name === '' || KEPT.test(name) ? [] : [[name, value.join('=')]];
  });
  return Object.fromEntries(now.filter(([name, value]) => before[name] !== value));
}

async function runScript(
  directory: string,
  argv: readonly string[],
  script: string,
  options: SetupOptions,
): Promise<void> {
  const workspace = openLocalWorkspace(directory);
  options.say(`running ${script}`);
  let why: string | undefined;
  let isInterrupted = false;
  let end: () => void = () => undefined;
  const off = onInterrupt(() => {
    isInterrupted = true;
    end();
  });
  const timer = setTimeout(() => {
    why = `took longer than ${TIMEOUT_MS / 60_000} minutes and was stopped`;
    end();
  }, TIMEOUT_MS);
  try {
    const process = await workspace.spawn(argv);
    end = () => void process.terminate().catch(() => undefined); // it has exited already
    if (why !== undefined || isInterrupted) end();
    process.end();
    let last = '';
    const decoder = new TextDecoder();
    process.onOutput((bytes) => {
      const text = decoder.decode(bytes, { stream: true });
      last = tailOf(last + text, SAID_AT_MOST);
      options.output(text);
    });
    const { code, signal } = await process.exited;
    if (isInterrupted) throw new Interrupted();
    why ??= code === 0 ? undefined : `ended with ${code === null ? `signal ${signal}` : `exit code ${code}`}`;
    if (why === undefined) return;
    const line = last.trim().split('\n').at(-1) ?? '';
    options.warn(`the setup script ${script} ${why}${line === '' ? '' : `: ${line}`}`);
  } finally {
    clearTimeout(timer);
    off();
    await workspace.close();
  }
}

/** An existing hook is kept and runs first. */
function installHook(directory: string, script: string): void {
  const hooks = join(directory, '.git', 'hooks');
  const path = join(hooks, 'pre-commit');
  makeFolder(hooks);
  const isForeign = existsSync(path) && !readFileSync(path, 'utf8').includes(HOOK_MARK);
  if (isForeign) renameSync(path, `${path}.local`);
  const lines = [
    '#!/bin/sh',
    HOOK_MARK,
    'local="$(git rev-parse --git-path hooks)/pre-commit.local"',
    'if [ -x "$local" ]; then "$local" || exit 1; fi',
    `script="$(git rev-parse --show-toplevel)/${script}"`,
    // The script is not made executable for this, which would change the repository.
    'if [ -x "$script" ]; then exec "$script"; else exec bash "$script"; fi',
    '',
  ];
  writeFileSync(path, lines.join('\n'), { mode: 0o755 });
}

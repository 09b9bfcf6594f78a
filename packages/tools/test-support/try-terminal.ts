/** A terminal for tests, in a temporary folder and with a home without start-up files. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Content, type Observation, type Tool, textOf } from '@longhand/sdk';
import { type TriedTools, tryTools } from '@longhand/sdk/testing';
import { terminalTool } from '../src/terminal/tool.ts';

export interface Told {
  readonly said: string;
  readonly exit: unknown;
  readonly prefix: string;
  readonly suffix: string;
  readonly isError: boolean;
  readonly metadata: { readonly [key: string]: unknown };
  readonly observation: Observation;
  /** What the model sees. */
  readonly shown: string;
}

export interface More {
  readonly is_input?: boolean;
  readonly timeout?: number;
  readonly reset?: boolean;
  readonly signal?: AbortSignal;
}

export interface TriedTerminal {
  /** Real path of the workspace. */
  readonly folder: string;
  readonly home: string;
  /** Where whole outputs are stored. */
  readonly kept: string;
  readonly tool: Tool;
  readonly tried: TriedTools;
  run(command: string, more?: More): Promise<Told>;
  input(command: string, more?: More): Promise<Told>;
  /** Polls the running command until it has ended. Returns all that it printed, and the last result. */
  follow(first: Told, more?: More): Promise<{ readonly seen: string; readonly last: Told }>;
}

/** For tests of commands that are left running. In other tests a busy machine may be silent for that long. */
export const QUIET = { no_change_timeout_seconds: 1 };

export async function tryTerminal(
  t: TestContext,
  params: { readonly env?: object; readonly [name: string]: unknown } = {},
): Promise<TriedTerminal> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'longhand-terminal-')));
  const [folder, home, directory] = ['workspace', 'home', 'conversation'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(folder);
  mkdirSync(home);
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const tried = await tryTools(terminalTool, {
    folder,
    directory,
    params: { ...params, env: { HOME: home, ...params.env } },
  });
  t.after(() => tried.close());
  const [tool] = tried.tools as [Tool];

  async function run(command: string, { signal, ...more }: More = {}): Promise<Told> {
    const options = signal === undefined ? {} : { signal };
    const { observation, said: shown } = await tried.call({ command, ...more }, options);
    assert.ok(observation !== undefined, shown);
    return toldOf(observation, shown);
  }

  return {
    folder,
    home,
    kept: join(directory, 'observations'),
    tool,
    tried,
    run,
    input: (command, more) => run(command, { ...more, is_input: true }),
    follow: async (first, more) => {
      let last = first;
      let seen = '';
      for (let looks = 0; last.exit === -1 && looks < 60; looks += 1) {
        last = await run('', more);
        seen += `${last.said}\n`;
      }
      return { seen, last };
    },
  };
}

function toldOf(observation: Observation, shown: string): Told {
  const {
    metadata,
    content,
    is_error: isError,
  } = observation as unknown as {
    readonly metadata: Told['metadata'] & { readonly prefix: string; readonly suffix: string };
    readonly content: readonly Content[];
    readonly is_error: boolean;
  };
  const { prefix, suffix } = metadata;
  const exit = observation['exit_code'];
  return { said: textOf(content), exit, prefix, suffix, isError, metadata, observation, shown };
}

export function assertRunning({ exit, suffix, metadata }: Told): void {
  assert.deepEqual([exit, metadata['exit_code']], [-1, -1]);
  assert.match(suffix, /still running/);
}

/** Ids of processes whose command line starts with `command`. */
export function processesNamed(command: string): string[] {
  if (!existsSync('/proc')) return [];
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(command);
    } catch {
      return false; // gone meanwhile
    }
  });
}

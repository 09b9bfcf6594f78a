import type { ToolEnvironment } from '@longhand/sdk';
import * as z from 'zod';
import { toolParams } from '../tool-params.ts';

export interface Settings {
  readonly quietMs: number;
  /** Absolute. */
  readonly folder: string;
  readonly program: string;
  readonly env: { readonly [name: string]: string };
  readonly maxShells: number;
  readonly terminal: 'pty' | 'pipes';
}

const DEFAULT_QUIET_SECONDS = 30;
const DEFAULT_SHELLS = 4;

/** Params of the tool in an agent's specification; names of the reference. */
const params = {
  /** Seconds without output after which a command is left running. */
  no_change_timeout_seconds: z.number().positive().default(DEFAULT_QUIET_SECONDS),
  /** Folder to start in, absolute or in the workspace; default: the workspace. */
  working_dir: z.string().min(1).optional(),
  /** Path of the bash to run; default: `bash` as the PATH has it. */
  shell_path: z.string().min(1).optional(),
  /** Set for every shell, over what is inherited. */
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is no name of a variable'), z.string())
    .default({}),
  /** Shells at the most, for calls side by side. With 1, calls wait for each other. */
  max_panes: z.number().int().positive().default(DEFAULT_SHELLS),
  /** `subprocess` (the reference's word) is `pty`. `pipes`: without a pseudo-terminal, and so without keys. */
  terminal_type: z.enum(['pty', 'subprocess', 'pipes', 'tmux', 'powershell']).default('pty'),
  /** Known to the reference; another user is not to be had here. */
  username: z.string().default(''),
};

/** Throws an Error that names the param which is wrong. Looks at the workspace unless the environment is inert. */
export async function settingsOf(environment: ToolEnvironment, given: object): Promise<Settings> {
  const { working_dir, shell_path, env, max_panes, terminal_type, username, no_change_timeout_seconds } =
    toolParams('terminal', params, given);
  if (terminal_type === 'powershell')
    throw new Error('terminal: param terminal_type: there is no PowerShell terminal; bash is what there is');
  const { workspace, inert, onWarning } = environment;
  const root = workspace.root;
  const folder =
    working_dir === undefined ? root : working_dir.startsWith('/') ? working_dir : `${root}/${working_dir}`;
  if (inert !== true) {
    if (terminal_type === 'tmux')
      onWarning('terminal: tmux is not used; the shell has a pseudo-terminal of its own');
    if (username !== '')
      onWarning(`terminal: commands run as the user of this program, not as "${username}"`);
    if (working_dir !== undefined && (await workspace.stat(folder))?.type !== 'directory')
      throw new Error(`terminal: param working_dir: there is no folder ${folder}`);
    if (shell_path !== undefined) await checkProgram(environment, shell_path);
  }
  return {
    quietMs: no_change_timeout_seconds * 1_000,
    folder,
    program: shell_path ?? 'bash',
    env,
    maxShells: max_panes,
    terminal: terminal_type === 'pipes' ? 'pipes' : 'pty',
  };
}

async function checkProgram({ workspace }: ToolEnvironment, path: string): Promise<void> {
  const found = await workspace.stat(path);
  if (found?.type !== 'file') throw new Error(`terminal: param shell_path: there is no program ${path}`);
  if ((found.mode & 0o111) === 0) throw new Error(`terminal: param shell_path: ${path} may not be executed`);
}

/**
 * The most seconds that a command may be waited for where something else counts a long silence as the end: nine tenths of
 * OH_RUNTIME_IDLE_TIMEOUT_SECONDS. Null without one.
 */
export function foregroundCap(
  value = process.env['OH_RUNTIME_IDLE_TIMEOUT_SECONDS'],
): { readonly idleSeconds: number; readonly capSeconds: number } | null {
  const idleSeconds = Number(value?.trim() || Number.NaN);
  if (!Number.isFinite(idleSeconds) || idleSeconds <= 0) return null;
  return { idleSeconds, capSeconds: Math.round(idleSeconds * 900) / 1_000 };
}

import type { ToolEnvironment } from '@longhand/sdk';
import * as z from 'zod';
import { toolParams } from '../tool-params.ts';

export interface Settings {
  readonly quietMs: number;
  /** Where shells start; an absolute path. */
  readonly folder: string;
  readonly program: string;
  readonly env: { readonly [name: string]: string };
  readonly maxShells: number;
  readonly terminal: 'pty' | 'pipes';
}

const DEFAULT_QUIET_SECONDS = 30;
const DEFAULT_SHELLS = 4;

/** Params of the tool in an agent's specification, with the names of the reference. */
const params = {
  /** Seconds without output after which a call returns and leaves its command running. */
  no_change_timeout_seconds: z.number().positive().default(DEFAULT_QUIET_SECONDS),
  /** Folder to start in, absolute or relative to the workspace. Default: the workspace. */
  working_dir: z.string().min(1).optional(),
  /** Path of the bash to run. Default: `bash` from the PATH. */
  shell_path: z.string().min(1).optional(),
  /** Variables for every shell; they override inherited ones. */
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is not the name of a variable'), z.string())
    .default({}),
  /** Most shells, for parallel calls. With 1, calls wait for each other. */
  max_panes: z.number().int().positive().default(DEFAULT_SHELLS),
  /** `subprocess` (the reference's name) means `pty`. `pipes`: no pseudo-terminal, and so no keys. */
  terminal_type: z.enum(['pty', 'subprocess', 'pipes', 'tmux', 'powershell']).default('pty'),
  /** Accepted for the reference's sake; commands always run as this user. */
  username: z.string().default(''),
};

/** Throws an Error that names the invalid param. Checks paths in the workspace unless the environment is inert. */
export async function settingsOf(environment: ToolEnvironment, given: object): Promise<Settings> {
  const { working_dir, shell_path, env, max_panes, terminal_type, username, no_change_timeout_seconds } =
    toolParams('terminal', params, given);
  if (terminal_type === 'powershell')
    throw new Error('terminal: param terminal_type: PowerShell is not supported; the terminal runs bash');
  const { workspace, inert, onWarning } = environment;
  const root = workspace.root;
  const folder =
    working_dir === undefined ? root : working_dir.startsWith('/') ? working_dir : `${root}/${working_dir}`;
  if (inert !== true) {
    if (terminal_type === 'tmux')
      onWarning('terminal: tmux is not used; the shell has its own pseudo-terminal');
    if (username !== '')
      onWarning(`terminal: commands run as the user of this program, not as "${username}"`);
    if (working_dir !== undefined && (await workspace.stat(folder))?.type !== 'directory')
      throw new Error(`terminal: param working_dir: the folder ${folder} does not exist`);
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
  if (found?.type !== 'file')
    throw new Error(`terminal: param shell_path: the program ${path} does not exist`);
  if ((found.mode & 0o111) === 0) throw new Error(`terminal: param shell_path: ${path} is not executable`);
}

/**
 * The longest wait for a command, in seconds, on a machine that is stopped when it is idle for too long: nine tenths of
 * OH_RUNTIME_IDLE_TIMEOUT_SECONDS. Null if that is not set.
 */
export function foregroundCap(
  value = process.env['OH_RUNTIME_IDLE_TIMEOUT_SECONDS'],
): { readonly idleSeconds: number; readonly capSeconds: number } | null {
  const idleSeconds = Number(value?.trim() || Number.NaN);
  if (!Number.isFinite(idleSeconds) || idleSeconds <= 0) return null;
  return { idleSeconds, capSeconds: Math.round(idleSeconds * 900) / 1_000 };
}

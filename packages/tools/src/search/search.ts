import { posix } from 'node:path';
import { ToolError, type Workspace } from '@longhand/sdk';
import { capture } from '@longhand/sdk/internal';
import { findRipgrep, searchByRipgrep } from './ripgrep.ts';
import { searchByWalking } from './walk.ts';

/** Which files to search for below a folder. */
export interface Search {
  readonly workspace: Workspace;
  /** Absolute. */
  readonly folder: string;
  /** Regular expression that a line of the file has to match, ignoring case. Absent: any file. */
  readonly pattern?: string;
  /** Whether a path, relative to the folder, is wanted. */
  readonly accepts: (path: string) => boolean;
  /** Glob of the base names that can be wanted, to search fewer files. Has no colon. */
  readonly include?: string;
  /** Whether hidden files and hidden folders are searched. */
  readonly hidden: { readonly files: boolean; readonly folders: boolean };
  /** Whether symbolic links are followed. */
  readonly follows: boolean;
  readonly limit: number;
  readonly signal: AbortSignal;
}

export interface Found {
  /** Absolute paths, newest first. */
  readonly files: readonly string[];
  /** There were more than `limit`, or the time limit was reached. */
  readonly truncated: boolean;
}

const LIMIT_MS = 30_000;

/** Searches with ripgrep if there is one, else file by file. The search throws a ToolError if `folder` or `pattern` is not valid. */
export function createSearch(workspace: Workspace): (search: Omit<Search, 'workspace'>) => Promise<Found> {
  let ripgrep: Promise<string | null> | undefined;
  return async (wanted) => {
    const { folder } = wanted;
    if ((await workspace.stat(folder))?.type !== 'directory')
      throw new ToolError(
        `There is no folder ${folder}. Set path to a folder, or omit it to search the workspace.`,
      );
    ripgrep ??= findRipgrep(workspace);
    const program = await ripgrep;
    const search = { ...wanted, workspace };
    return await inTime(search, (limited) =>
      program === null ? searchByWalking(limited) : searchByRipgrep(program, limited),
    );
  };
}

/** Returns what was found when the time limit is reached. */
async function inTime(search: Search, look: (search: Search) => Promise<Found>): Promise<Found> {
  const time = AbortSignal.timeout(LIMIT_MS);
  const found = await look({ ...search, signal: AbortSignal.any([search.signal, time]) });
  search.signal.throwIfAborted();
  if (!time.aborted) return found;
  if (found.files.length === 0)
    throw new ToolError(
      `Nothing was found in ${LIMIT_MS / 1_000} s. Search a smaller folder, or use a narrower pattern.`,
    );
  return { ...found, truncated: true };
}

/** Relative paths start at the workspace; `~` is the home folder of the user that the workspace's programs run as. */
export async function folderOf(path: string | undefined, workspace: Workspace): Promise<string> {
  const given = path?.trim() ?? '';
  const home = /^~(?=\/|$)/.test(given) ? await homeOf(workspace) : '';
  return posix.resolve(workspace.root, home === '' ? given : home + given.slice(1));
}

async function homeOf(workspace: Workspace): Promise<string> {
  const argv = ['sh', '-c', 'printf %s "$HOME"'];
  return (await capture(workspace, argv, { timeoutMs: LIMIT_MS })).stdout;
}

/** The result as the model gets it. */
export function foundText({ files, truncated }: Found, limit: number, none: string): string {
  if (files.length === 0) return none;
  const note = truncated ? `\nThere are more; these are the ${Math.min(limit, files.length)} newest.` : '';
  return files.join('\n') + note;
}

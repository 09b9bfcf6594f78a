import { posix } from 'node:path';
import { ToolError, type Workspace } from '@longhand/sdk';
import { capture } from '@longhand/sdk/internal';
import { findRipgrep, searchByRipgrep } from './ripgrep.ts';
import { searchByWalking } from './walk.ts';

/** What files to look for below a folder. */
export interface Search {
  readonly workspace: Workspace;
  /** Absolute. */
  readonly folder: string;
  /** Regular expression that a line of the file has, whatever its case; absent: any file. */
  readonly pattern?: string;
  /** Whether a path relative to the folder is wanted. */
  readonly accepts: (path: string) => boolean;
  /** Glob of the base names that may be wanted, to look at less; without a colon. */
  readonly include?: string;
  /** Look also at hidden files, and into hidden folders. */
  readonly hidden: { readonly files: boolean; readonly folders: boolean };
  /** Take links, too, and go into folders behind them. */
  readonly follows: boolean;
  readonly limit: number;
  readonly signal: AbortSignal;
}

export interface Found {
  /** Absolute, the newest first. */
  readonly files: readonly string[];
  /** There are more than `limit`, or the time was up. */
  readonly truncated: boolean;
}

const LIMIT_MS = 30_000;

/** With ripgrep where there is one, else file by file. Throws ToolError if it is not a folder, or no pattern. */
export function createSearch(workspace: Workspace): (search: Omit<Search, 'workspace'>) => Promise<Found> {
  let ripgrep: Promise<string | null> | undefined;
  return async (wanted) => {
    const { folder } = wanted;
    if ((await workspace.stat(folder))?.type !== 'directory')
      throw new ToolError(
        `There is no folder ${folder}. path must be a folder; leave it out for the workspace.`,
      );
    ripgrep ??= findRipgrep(workspace);
    const program = await ripgrep;
    const search = { ...wanted, workspace };
    return await inTime(search, (limited) =>
      program === null ? searchByWalking(limited) : searchByRipgrep(program, limited),
    );
  };
}

/** What was found when the time is up is better than nothing. */
async function inTime(search: Search, look: (search: Search) => Promise<Found>): Promise<Found> {
  const time = AbortSignal.timeout(LIMIT_MS);
  const found = await look({ ...search, signal: AbortSignal.any([search.signal, time]) });
  search.signal.throwIfAborted();
  if (!time.aborted) return found;
  if (found.files.length === 0)
    throw new ToolError(
      `Nothing was found in ${LIMIT_MS / 1_000} s. Look in a folder further down, or for less.`,
    );
  return { ...found, truncated: true };
}

/** Relative paths begin at the workspace; `~` is the home of whoever the workspace's programs run as. */
export async function folderOf(path: string | undefined, workspace: Workspace): Promise<string> {
  const given = path?.trim() ?? '';
  const home = /^~(?=\/|$)/.test(given) ? await homeOf(workspace) : '';
  return posix.resolve(workspace.root, home === '' ? given : home + given.slice(1));
}

async function homeOf(workspace: Workspace): Promise<string> {
  const argv = ['sh', '-c', 'printf %s "$HOME"'];
  return (await capture(workspace, argv, { timeoutMs: LIMIT_MS })).stdout;
}

/** As the model is told. */
export function foundText({ files, truncated }: Found, limit: number, none: string): string {
  if (files.length === 0) return none;
  const note = truncated ? `\nThere are more; these are the newest ${Math.min(limit, files.length)}.` : '';
  return files.join('\n') + note;
}

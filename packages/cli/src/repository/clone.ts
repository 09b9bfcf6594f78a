import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '@longhand/sdk/internal';
import { UsageError } from '../usage-error.ts';
import type { Repository } from './address.ts';
import { GitError, git } from './git.ts';

/**
 * Clones into a folder that is empty or does not exist; it exists afterwards only if everything succeeded. Without a branch the work is
 * done on a new one, so that nothing is pushed to the main branch by accident. Throws Error; UsageError if the
 * folder is not empty.
 */
export async function cloneInto(
  target: string,
  { address, shown }: Repository,
  branch: string | undefined,
  signal?: AbortSignal,
): Promise<void> {
  refuseOccupied(target);
  makeFolder(dirname(target));
  const temporary = `${target}.cloning-${process.pid}`;
  const options = signal === undefined ? {} : { signal };
  try {
    const wanted = branch === undefined ? [] : [`--branch=${branch}`];
    await git(['clone', '--quiet', ...wanted, '--', address, temporary], options);
    if (branch === undefined)
      await git(['checkout', '--quiet', '-b', `longhand-workspace-${randomBytes(4).toString('hex')}`], {
        cwd: temporary,
        ...options,
      });
    if (existsSync(target)) rmdirSync(target);
    renameSync(temporary, target);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new Error(`the repository ${shown} cannot be cloned: ${error.message}`);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function refuseOccupied(target: string): void {
  const found = statSync(target, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isDirectory()) throw new UsageError(`${target} is not a folder; choose another one with -d`);
  if (readdirSync(target).length > 0)
    throw new UsageError(
      `${target} is not empty, so nothing can be cloned into it; choose another folder with -d, or omit -d for a new one`,
    );
}

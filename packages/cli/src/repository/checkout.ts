import { createHash } from 'node:crypto';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '@longhand/sdk/internal';
import { defined } from '@longhand/sdk/value';
import { git } from './git.ts';

/** The folder under `parent` with a repository at one commit. It is fetched once, since a commit does not change. Throws GitError. */
export async function checkedOut(
  parent: string,
  address: string,
  commit: string,
  signal?: AbortSignal,
): Promise<string> {
  const name = createHash('sha256').update(`${address}#${commit}`).digest('hex').slice(0, 16);
  const target = join(parent, name);
  if (existsSync(target)) return target;
  const temporary = `${target}.${process.pid}`;
  const options = { cwd: temporary, ...defined({ signal }) };
  makeFolder(temporary);
  try {
    await git(['init', '--quiet'], options);
    await git(['fetch', '--quiet', '--depth', '1', '--', address, commit], options);
    await git(['checkout', '--quiet', commit], options);
    try {
      renameSync(temporary, target);
    } catch (error) {
      if (!existsSync(target)) throw error; // otherwise another process was faster
    }
    return target;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** The commit at the HEAD of a remote repository. Throws GitError, or the signal's reason. */
export async function headOf(address: string, signal: AbortSignal): Promise<string> {
  const answer = await git(['ls-remote', '--', address, 'HEAD'], { signal });
  return /^[0-9a-f]+/.exec(answer.toString('utf8'))?.[0] ?? '';
}

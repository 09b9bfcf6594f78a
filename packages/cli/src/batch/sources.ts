/**
 * What instances start from, as bare repositories under `repositories/`: each repository is cloned once, however many
 * instances use it; a folder of the user is only read; files that come with a task become a commit.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '@longhand/sdk/internal';
import { type Repository, repositoryName } from '../repository/address.ts';
import { GitError, git } from '../repository/git.ts';
import type { Instance } from './instance.ts';

/** A commit in a bare repository. */
export interface Origin {
  readonly gitDir: string;
  readonly commit: string;
}

/** Without the user's git configuration, whose filters and line endings would affect the comparison. */
export const PLAIN_GIT = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };

const IDENTITY = [
  '-c',
  'user.name=longhand',
  '-c',
  'user.email=longhand@localhost',
  '-c',
  'commit.gpgsign=false',
];

export interface Sources {
  /** Throws GitError that names the repository. */
  originOf(instance: Instance): Promise<Origin>;
}

export function openSources(out: string, signal: AbortSignal): Sources {
  const root = join(out, 'repositories');
  makeFolder(root);
  const made = new Map<string, Promise<string>>();
  const fetching = new Map<string, Promise<unknown>>();

  /** Made once, under another name, and moved into place. A failure is not tried again for each instance. */
  function once(name: string, make: (temporary: string) => Promise<void>): Promise<string> {
    const gitDir = join(root, `${name}.git`);
    const found = made.get(name) ?? (existsSync(gitDir) ? Promise.resolve(gitDir) : anew(gitDir, make));
    made.set(name, found);
    return found;
  }

  async function cloned({
    repository,
    baseCommit,
  }: Instance['source'] & { readonly from: 'git' }): Promise<Origin> {
    const gitDir = await once(nameOf(repository), (temporary) => clone(repository, temporary, signal));
    const commit =
      (await commitIn(gitDir, baseCommit ?? 'HEAD')) ??
      (baseCommit === undefined
        ? undefined
        : await oneAfterAnother(gitDir, () => fetched(gitDir, baseCommit, signal)));
    if (commit === undefined)
      throw new GitError(
        `${repository.shown} has no commit${baseCommit === undefined ? '' : ` ${baseCommit}`}`,
      );
    return { gitDir, commit };
  }

  /** Fetches into one repository must not overlap. */
  function oneAfterAnother<T>(gitDir: string, act: () => Promise<T>): Promise<T> {
    const next = (fetching.get(gitDir) ?? Promise.resolve()).then(act);
    fetching.set(
      gitDir,
      next.catch(() => undefined),
    ); // reported by the caller
    return next;
  }

  return {
    originOf: async ({ source, folder }) => {
      if (source.from === 'git') return await cloned(source);
      const gitDir =
        source.from === 'folder'
          ? await once(`folder-${short(source.path)}`, (temporary) => commitOf(source.path, temporary))
          : await once(`files-${folder}`, (temporary) => commitOfFiles(source.files, temporary));
      return { gitDir, commit: (await commitIn(gitDir, 'HEAD')) ?? '' };
    },
  };
}

async function anew(gitDir: string, make: (temporary: string) => Promise<void>): Promise<string> {
  const temporary = `${gitDir}.tmp`;
  rmSync(temporary, { recursive: true, force: true });
  try {
    await make(temporary);
    renameSync(temporary, gitDir);
    return gitDir;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

async function clone({ address, shown }: Repository, target: string, signal: AbortSignal): Promise<void> {
  try {
    await git(['clone', '--quiet', '--bare', '--template=', '--', address, target], { signal });
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new GitError(`the repository ${shown} cannot be cloned: ${error.message}`);
  }
}

async function commitIn(gitDir: string, name: string): Promise<string | undefined> {
  try {
    const found = await git(['--git-dir', gitDir, 'rev-parse', '--verify', '--quiet', `${name}^{commit}`]);
    return found.toString('utf8').trim();
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
}

/** A commit that no branch contains, or that is newer than the clone. */
async function fetched(gitDir: string, commit: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    await git(['--git-dir', gitDir, 'fetch', '--quiet', 'origin', commit], { signal });
    return (await commitIn(gitDir, commit)) ?? (await commitIn(gitDir, 'FETCH_HEAD'));
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
}

async function commitOfFiles(files: { readonly [path: string]: string }, gitDir: string): Promise<void> {
  const folder = `${gitDir}.files`;
  rmSync(folder, { recursive: true, force: true }); // left by a batch that was killed
  mkdirSync(folder);
  try {
    for (const [path, content] of Object.entries(files)) {
      makeFolder(dirname(join(folder, path)));
      writeFileSync(join(folder, path), content);
    }
    await commitOf(folder, gitDir);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A folder as the only commit of a new repository, ignored files included. The folder is only read. */
async function commitOf(folder: string, gitDir: string): Promise<void> {
  const env = { ...PLAIN_GIT, GIT_DIR: gitDir, GIT_WORK_TREE: folder };
  await git(['-c', 'init.defaultBranch=main', 'init', '--quiet', '--bare', '--template=', gitDir], {
    env: PLAIN_GIT,
  });
  await git(['add', '--all', '--force', '.'], { env, cwd: folder });
  await git([...IDENTITY, 'commit', '--quiet', '--allow-empty', '--no-verify', '-m', 'Files of the task'], {
    env,
    cwd: folder,
  });
  rmSync(join(gitDir, 'index'), { force: true });
}

function nameOf(repository: Repository): string {
  return `${repositoryName(repository).replace(/[^\w.-]/g, '_')}-${short(repository.address)}`;
}

function short(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

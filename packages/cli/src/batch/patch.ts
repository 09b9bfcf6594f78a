import { isUtf8 } from 'node:buffer';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GitError, type GitOptions, git } from '../repository/git.ts';
import { type Origin, PLAIN_GIT } from './sources.ts';

/**
 * The patch with which `git apply` turns the base commit into the present content of the folder, with new and binary files; what
 * the project ignores is left out. The repository in the folder is not used, since the agent may have changed it in any way: the
 * comparison uses an index and an object store of its own and leaves nothing behind. Throws GitError.
 */
export async function patchOf(
  workspace: string,
  { gitDir, commit }: Origin,
  temporaryIn: string,
): Promise<string> {
  const folder = join(temporaryIn, 'patch.tmp');
  rmSync(folder, { recursive: true, force: true }); // left by a batch that was killed
  mkdirSync(folder);
  const options = {
    cwd: workspace,
    env: {
      ...PLAIN_GIT,
      GIT_DIR: gitDir,
      GIT_WORK_TREE: workspace,
      GIT_INDEX_FILE: join(folder, 'index'),
      GIT_OBJECT_DIRECTORY: folder,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: join(gitDir, 'objects'),
    },
  };
  try {
    await git(['read-tree', commit], options);
    await added(options);
    const diff = [
      'diff',
      '--cached',
      '--binary',
      '--no-color',
      '--no-ext-diff',
      '--no-textconv',
      '--no-renames',
      '--ignore-submodules=all',
      commit,
    ];
    const patch = await git(diff, options);
    if (isUtf8(patch)) return patch.toString('utf8');
    // Text in another encoding cannot be written as JSON: everything is treated as binary then.
    const attributes = join(folder, 'attributes');
    writeFileSync(attributes, '* -diff\n');
    const binary = await git(['-c', `core.attributesFile=${attributes}`, ...diff], options);
    return binary.toString('utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What git cannot add, such as a nested repository without a commit, is left out alone. Throws GitError. */
async function added(options: GitOptions): Promise<void> {
  try {
    await git(['add', '--all', '--ignore-errors', '.'], options);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    await git(['status', '--porcelain', '--untracked-files=no'], options); // fails too if the index is damaged
  }
}

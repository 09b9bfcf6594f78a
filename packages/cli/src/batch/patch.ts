import { isUtf8 } from 'node:buffer';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GitError, type GitOptions, git } from '../repository/git.ts';
import { type Origin, PLAIN_GIT } from './sources.ts';

/**
 * What `git apply` needs to turn the base commit into what stands in the folder now, new and binary files included; what
 * the project ignores is left out. The repository in the folder is not asked, since it may have been changed in any way: the
 * comparison has an index and objects of its own, and leaves nothing behind. Throws GitError.
 */
export async function patchOf(
  workspace: string,
  { gitDir, commit }: Origin,
  temporaryIn: string,
): Promise<string> {
  const folder = join(temporaryIn, 'patch.tmp');
  rmSync(folder, { recursive: true, force: true }); // of one that was killed
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
    // Text in another encoding could not stand in JSON: all is told as if it were binary.
    const attributes = join(folder, 'attributes');
    writeFileSync(attributes, '* -diff\n');
    const binary = await git(['-c', `core.attributesFile=${attributes}`, ...diff], options);
    return binary.toString('utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What git cannot take, such as a repository without a commit in the folder, costs only itself. Throws GitError. */
async function added(options: GitOptions): Promise<void> {
  try {
    await git(['add', '--all', '--ignore-errors', '.'], options);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    await git(['status', '--porcelain', '--untracked-files=no'], options); // the index is whole, or this fails as well
  }
}

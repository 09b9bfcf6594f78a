import { existsSync, renameSync, rmSync } from 'node:fs';
import { git } from '../repository/git.ts';
import { type Origin, PLAIN_GIT } from './sources.ts';

/**
 * A repository at the base commit. It contains no later commits, which would give away the answer in a benchmark.
 * The objects are hard links where the file system supports them. It is created completely or not at all.
 */
export async function makeWorkspace(path: string, { gitDir, commit }: Origin): Promise<void> {
  if (existsSync(path)) return;
  const temporary = `${path}.tmp`;
  rmSync(temporary, { recursive: true, force: true });
  const quiet = ['-c', 'core.logAllRefUpdates=false', '-c', 'advice.detachedHead=false'];
  const inside = { cwd: temporary, env: PLAIN_GIT };
  await git(
    [
      ...quiet,
      'clone',
      '--quiet',
      '--local',
      '--no-checkout',
      '--no-tags',
      '--template=',
      '--',
      gitDir,
      temporary,
    ],
    {
      env: PLAIN_GIT,
    },
  );
  await git(['remote', 'remove', 'origin'], inside);
  const refs = (await git(['for-each-ref', '--format=delete %(refname)'], inside)).toString('utf8');
  await git(['update-ref', '--stdin'], { ...inside, input: refs });
  await git([...quiet, 'checkout', '--quiet', '--force', '-B', 'main', commit], inside);
  await git(['config', 'user.name', 'longhand'], inside);
  await git(['config', 'user.email', 'longhand@localhost'], inside);
  renameSync(temporary, path);
}

import { posix } from 'node:path';
import type { Workspace } from '@longhand/sdk';

/** Creates a folder in the workspace for files from the browser, which the agent can read and git ignores. Returns its path. */
export async function keptFolder(workspace: Workspace, ...names: readonly string[]): Promise<string> {
  const folder = posix.join(workspace.root, ...names);
  const ignore = posix.join(workspace.root, names[0] ?? '', '.gitignore');
  await workspace.makeDirectory(folder);
  if ((await workspace.stat(ignore)) === null) await workspace.writeFile(ignore, Buffer.from('*\n'));
  return folder;
}

import { posix } from 'node:path';
import type { Workspace } from '@longhand/sdk';

/** A folder of the workspace for what the browser brings; it is there for the agent to read, and git does not see it. */
export async function keptFolder(workspace: Workspace, ...names: readonly string[]): Promise<string> {
  const folder = posix.join(workspace.root, ...names);
  const ignore = posix.join(workspace.root, names[0] ?? '', '.gitignore');
  await workspace.makeDirectory(folder);
  if ((await workspace.stat(ignore)) === null) await workspace.writeFile(ignore, Buffer.from('*\n'));
  return folder;
}

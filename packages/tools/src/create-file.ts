import { posix } from 'node:path';
import type { Workspace } from '@longhand/sdk';

/**
 * Makes a file with the folders that it needs. If it cannot be written, none of them is left behind. Resolves to what takes
 * all of it back.
 */
export async function createFile(
  path: string,
  bytes: Uint8Array,
  workspace: Workspace,
  mode?: number,
): Promise<() => Promise<void>> {
  const folder = posix.dirname(path);
  const there = await nearest(folder, workspace);
  const removeFolders = () => removeEmpty(folder, there, workspace);
  try {
    await workspace.makeDirectory(folder);
    await workspace.writeFile(path, bytes, mode === undefined ? {} : { mode });
  } catch (error) {
    await removeFolders();
    throw error;
  }
  return async () => {
    await workspace.remove(path);
    await removeFolders();
  };
}

/** The folder, or the nearest above it that is there. */
async function nearest(folder: string, workspace: Workspace): Promise<string> {
  const parent = posix.dirname(folder);
  if (parent === folder || (await workspace.stat(folder)) !== null) return folder;
  return await nearest(parent, workspace);
}

/** From `folder` upwards to `last`, which stays; somebody else may have put something there meanwhile. */
async function removeEmpty(folder: string, last: string, workspace: Workspace): Promise<void> {
  if (folder === last) return;
  const entries = await workspace.list(folder).catch(() => null); // it was not made
  if (entries !== null && entries.length > 0) return;
  if (entries !== null) await workspace.remove(folder);
  await removeEmpty(posix.dirname(folder), last, workspace);
}

import { posix } from 'node:path';
import type { Workspace } from '@longhand/sdk';

/**
 * Creates a file and its folders. If the file cannot be written, the folders are removed again. Resolves to a function that undoes
 * everything.
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

/** The folder, or its nearest existing parent. */
async function nearest(folder: string, workspace: Workspace): Promise<string> {
  const parent = posix.dirname(folder);
  if (parent === folder || (await workspace.stat(folder)) !== null) return folder;
  return await nearest(parent, workspace);
}

/** Removes the empty folders from `folder` up to, but not including, `last`; another program may have put something there. */
async function removeEmpty(folder: string, last: string, workspace: Workspace): Promise<void> {
  if (folder === last) return;
  const entries = await workspace.list(folder).catch(() => null); // it was not created
  if (entries !== null && entries.length > 0) return;
  if (entries !== null) await workspace.remove(folder);
  await removeEmpty(posix.dirname(folder), last, workspace);
}

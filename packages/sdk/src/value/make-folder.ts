/**
 * Creates folders level by level. Node's recursive `mkdir` never returns where a file system refuses a folder as missing, as Linux does
 * below `/proc`: it goes on creating the parent, which exists.
 */
import { mkdirSync, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Creates a folder and its missing ancestors with these permissions; true if the folder did not exist. Throws like `mkdirSync`. */
export function makeFolder(path: string, mode = 0o777): boolean {
  const error = errorOf(() => mkdirSync(path, mode));
  if (error === null) return true;
  const above = dirname(path);
  if (error.code !== 'ENOENT' || above === path) return !existed(path, error);
  makeFolder(above, mode);
  const again = errorOf(() => mkdirSync(path, mode));
  return again === null || !existed(path, again);
}

function errorOf(act: () => void): NodeJS.ErrnoException | null {
  try {
    act();
    return null;
  } catch (error) {
    return error as NodeJS.ErrnoException;
  }
}

/** True if there is a folder, for instance because another process has just created it. Throws the error if there is none. */
function existed(path: string, error: Error): true {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return true;
  throw error;
}

/** The same without blocking this process. */
export async function makeFolderAsync(path: string, mode = 0o777): Promise<void> {
  const error = await rejectionOf(mkdir(path, mode));
  if (error === null) return;
  const above = dirname(path);
  if (error.code !== 'ENOENT' || above === path) return await requireFolder(path, error);
  await makeFolderAsync(above, mode);
  const again = await rejectionOf(mkdir(path, mode));
  if (again !== null) await requireFolder(path, again);
}

function rejectionOf(work: Promise<unknown>): Promise<NodeJS.ErrnoException | null> {
  return work.then(
    () => null,
    (error: NodeJS.ErrnoException) => error,
  );
}

async function requireFolder(path: string, error: Error): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory() !== true) throw error;
}

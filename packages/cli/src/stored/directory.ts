import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { makeFolder } from '@longhand/sdk/internal';
import { UsageError } from '../usage-error.ts';

/** The absolute path of a folder to work in. Throws UsageError if it does not exist, is no folder, or cannot be written. */
export function workingDirectory(path: string, remedy: string): string {
  const absolute = resolve(path);
  const stat = statSync(absolute, { throwIfNoEntry: false });
  if (stat === undefined) throw new UsageError(`the folder ${absolute} does not exist; ${remedy}`);
  if (!stat.isDirectory()) throw new UsageError(`${absolute} is not a folder; ${remedy}`);
  try {
    accessSync(absolute, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    throw new UsageError(`the folder ${absolute} is not writable for you; ${remedy}`);
  }
  return absolute;
}

/** Creates the folder for conversations. Throws UsageError if that fails. */
export function makeConversationsDirectory(path: string): string {
  const absolute = resolve(path);
  try {
    makeFolder(absolute, 0o700);
    accessSync(absolute, constants.W_OK | constants.X_OK);
    return absolute;
  } catch (error) {
    throw new UsageError(
      `conversations cannot be stored in ${absolute} (${(error as Error).message}); choose another folder with --conversations-dir`,
    );
  }
}

/** Whether two paths lead to one folder, also through links; a folder that is gone is compared by its path. */
export function isSameFolder(one: string | undefined, other: string): boolean {
  return one !== undefined && (resolve(one) === resolve(other) || realPath(one) === realPath(other));
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../usage-error.ts';

/** The absolute path of a folder to work in. Throws UsageError if it is not there, is none, or cannot be written. */
export function workingDirectory(path: string, remedy: string): string {
  const absolute = resolve(path);
  const stat = statSync(absolute, { throwIfNoEntry: false });
  if (stat === undefined) throw new UsageError(`the folder ${absolute} does not exist; ${remedy}`);
  if (!stat.isDirectory()) throw new UsageError(`${absolute} is not a folder; ${remedy}`);
  try {
    accessSync(absolute, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    throw new UsageError(`the folder ${absolute} cannot be written by you; ${remedy}`);
  }
  return absolute;
}

/** Makes the folder that conversations are kept in. Throws UsageError if that cannot be. */
export function makeConversationsDirectory(path: string): string {
  const absolute = resolve(path);
  try {
    mkdirSync(absolute, { recursive: true });
    accessSync(absolute, constants.W_OK | constants.X_OK);
    return absolute;
  } catch (error) {
    throw new UsageError(
      `conversations cannot be kept in ${absolute} (${(error as Error).message}); choose another folder with --conversations-dir`,
    );
  }
}

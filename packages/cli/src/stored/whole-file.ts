import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from '@longhand/sdk/internal';
import { UsageError } from '../usage-error.ts';

/** Writes a file and its folders; `mode` as in chmod. The file is replaced completely or left as it was. Throws UsageError if it cannot be written. */
export function writeWholeFile(path: string, content: string, mode?: number): void {
  const folder = dirname(path);
  const temporary = join(folder, `.${basename(path)}.${process.pid}.tmp`);
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) throw new Error('it is a folder');
    makeFolder(folder);
    writeFileSync(temporary, content, { mode });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new UsageError(`${path} cannot be written: ${(error as Error).message}`);
  }
}

import { dirname } from 'node:path';
import { type Disk, nodeDisk, PRIVATE_FILE } from './disk.ts';
import type { Durability } from './event-log.ts';

export interface AtomicFileOptions {
  /** Permissions of the file. Default 0o600. */
  readonly mode?: number | undefined;
  readonly disk?: Disk | undefined;
}

/**
 * Replaces a file as a whole: a reader finds the old text or the new, never a part. The text is written to `<path>.tmp` and
 * renamed; at durability `power` the file is synced before the rename and its folder after it. One writer at a time per
 * path. Throws the error of the operating system; then the old file is unchanged, unless only the last sync failed.
 */
export async function writeFileAtomic(
  path: string,
  source: string,
  durability: Durability,
  { mode = PRIVATE_FILE, disk = nodeDisk }: AtomicFileOptions = {},
): Promise<void> {
  const temporary = `${path}.tmp`;
  try {
    const descriptor = disk.create(temporary, mode);
    await closing(disk, descriptor, async () => {
      disk.write(descriptor, Buffer.from(source));
      if (durability === 'power') await disk.syncInBackground(descriptor);
    });
    disk.rename(temporary, path);
  } catch (error) {
    disk.remove(temporary);
    throw error;
  }
  if (durability === 'power') {
    const folder = disk.open(dirname(path));
    await closing(disk, folder, () => disk.syncInBackground(folder));
  }
}

async function closing(disk: Disk, descriptor: number, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } finally {
    disk.close(descriptor);
  }
}

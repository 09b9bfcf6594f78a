import { closeSync, fsync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Durability } from './event-log.ts';

export function fsyncFile(descriptor: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fsync(descriptor, (error) => (error === null ? resolve() : reject(error)));
  });
}

export function writeAll(descriptor: number, data: Buffer): void {
  for (let at = 0; at < data.length; ) at += writeSync(descriptor, data, at);
}

/** Replaces a file as a whole: whoever opens it sees the old text or the new. Only one writer at a time per path. */
export async function writeFileAtomic(
  path: string,
  source: string,
  durability: Durability,
  mode = 0o644,
): Promise<void> {
  const temporary = `${path}.tmp`;
  const descriptor = openSync(temporary, 'w', mode);
  try {
    try {
      writeAll(descriptor, Buffer.from(source));
      if (durability === 'power') await fsyncFile(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  if (durability === 'power') await fsyncDirectory(dirname(path));
}

async function fsyncDirectory(path: string): Promise<void> {
  const descriptor = openSync(path, 'r');
  try {
    await fsyncFile(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

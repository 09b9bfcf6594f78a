import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where a conversation keeps what its results do not hold whole; null if nothing is stored. */
export function outputFolder(directory: string | null): string | null {
  return directory === null ? null : join(directory, 'observations');
}

/** Writes under a name that is the same for the same content. Returns the path. */
export function keepFile(
  folder: string,
  prefix: string,
  content: string | Uint8Array,
  ending: string,
): string {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 8);
  const path = join(folder, `${prefix}_${hash}.${ending}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, content);
  return path;
}

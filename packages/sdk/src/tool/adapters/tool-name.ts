import { createHash } from 'node:crypto';

/** The tool names that every provider accepts. */
const MAX_LENGTH = 64;
const HASH_LENGTH = 8;

/** A name that every provider accepts: letters, digits, `_` and `-`, at most 64; a longer one ends in a hash of the whole. */
export function safeToolName(name: string): string {
  const safe = name.trim().replace(/[^A-Za-z0-9_-]+/g, '_');
  if (safe.length <= MAX_LENGTH) return safe;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH);
  return `${safe.slice(0, MAX_LENGTH - HASH_LENGTH - 1)}_${hash}`;
}

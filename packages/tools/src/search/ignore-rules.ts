/** What `.gitignore` leaves out (gitignore(5)): the last rule that matches counts, a file further down after those above it. */
import { posix } from 'node:path';
import ignore, { type Ignore } from 'ignore';

export interface IgnoreFile {
  /** Where it lies, relative to where the paths begin; empty for there. */
  readonly folder: string;
  readonly rules: Ignore;
}

export function parseIgnoreFile(content: string, folder: string): IgnoreFile {
  return { folder, rules: ignore({ ignorecase: false }).add(content) };
}

/** `files`: the ones further down behind those above them. */
export function isIgnored(files: readonly IgnoreFile[], path: string, isFolder: boolean): boolean {
  for (const { folder, rules } of files.toReversed()) {
    const below = posix.relative(folder, path);
    if (below === '' || below.startsWith('../')) continue;
    const { ignored, unignored } = rules.test(isFolder ? `${below}/` : below);
    if (ignored || unignored) return ignored;
  }
  return false;
}

import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLIPPED } from '@longhand/sdk';
import type { Session } from './session.ts';

const LIMIT = 50_000;

/** Where the conversation keeps whole outputs; undefined if nothing is stored. */
export function outputFolder(directory: string | null): string | undefined {
  return directory === null ? undefined : join(directory, 'observations');
}

/** Writes under a name that is the same for the same content. Resolves to the path. */
export function keep(folder: string, prefix: string, content: string | Uint8Array, ending: string): string {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 8);
  const path = join(folder, `${prefix}_${hash}.${ending}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** What is too long is cut at its end, where pages say least; the whole is in a file, which the notice names. */
export function clipped(said: string, directory: string | null): string {
  if (said.length <= LIMIT) return said;
  const folder = outputFolder(directory);
  const line = said.slice(0, LIMIT).split('\n').length;
  const where =
    folder === undefined
      ? ''
      : ` The whole is in ${keep(folder, 'browser_output', said, 'txt')}; the cut begins at line ${line}.`;
  const notice = `\n${CLIPPED} ${said.length} characters in all.${where}`;
  return said.slice(0, LIMIT - notice.length) + notice;
}

/** What happened besides, as lines; told once. */
export function newsOf(session: Session): string {
  return session.notices
    .splice(0)
    .map((notice) => `[${notice}]\n`)
    .join('');
}

/**
 * Files of projects that may start programs, because the user has agreed: `trusted.json` in the user's folder holds the SHA-256 of each, by
 * its path in its real folder. A file that has changed since is not trusted.
 */
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from '@longhand/sdk/internal';
import { isRecord } from '@longhand/sdk/value';
import { configDirectory } from './home.ts';

export type Trust = 'trusted' | 'changed' | 'unknown';

export function trustIn(path: string, content: string): Trust {
  const known = readTrusted()[keyOf(path)];
  return known === undefined ? 'unknown' : known === hashOf(content) ? 'trusted' : 'changed';
}

export function trust(path: string, content: string): void {
  write({ ...readTrusted(), [keyOf(path)]: hashOf(content) });
}

/** Returns false if the file was not trusted. */
export function distrust(path: string): boolean {
  const { [keyOf(path)]: known, ...others } = readTrusted();
  if (known !== undefined) write(others);
  return known !== undefined;
}

/** The file need not exist any more. */
function keyOf(path: string): string {
  return join(realpathSync(dirname(path)), basename(path));
}

function trustedFile(): string {
  return join(configDirectory(), 'trusted.json');
}

/** A file that cannot be read trusts nothing. */
function readTrusted(): { readonly [path: string]: string } {
  try {
    const json: unknown = JSON.parse(readFileSync(trustedFile(), 'utf8'));
    return isRecord(json) ? (json as { readonly [path: string]: string }) : {};
  } catch {
    return {};
  }
}

function write(trusted: { readonly [path: string]: string }): void {
  const file = trustedFile();
  makeFolder(dirname(file), 0o700);
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, `${JSON.stringify(trusted, null, 2)}\n`, { mode: 0o600 });
  renameSync(temporary, file);
}

function hashOf(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** How a repository may be named: a folder, a git address, or OWNER/NAME on GitHub. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, resolve } from 'node:path';
import { UsageError } from '../usage-error.ts';

export interface Repository {
  /** As git takes it; for a folder its absolute path. */
  readonly address: string;
  readonly isFolder: boolean;
  /** For people, without a login. */
  readonly shown: string;
}

const ADDRESS = /^(https?|ssh|git|file):\/\/[^\s]+$/;
/** `git@host:path`, the form of ssh. */
const SCP = /^[\w.-]+@[\w.-]+:[^\s]+$/;
const OWNER_NAME = /^[\w][\w.-]*\/[\w.-]+$/;

/** An existing folder takes precedence over OWNER/NAME. Relative paths are resolved against `base`. Throws UsageError. */
export function readRepository(words: string, base: string): Repository {
  if (ADDRESS.test(words) || SCP.test(words))
    return { address: words, isFolder: false, shown: withoutLogin(words) };
  const path = resolve(base, words.replace(/^~(?=\/|$)/, homedir()));
  const looksLikePath = /^(\.{0,2}|~)\//.test(words) || /^\.{1,2}$/.test(words);
  if (words !== '' && !words.includes('\0') && existsSync(path))
    return { address: path, isFolder: true, shown: path };
  if (looksLikePath) throw new UsageError(`there is no folder ${path}`);
  if (OWNER_NAME.test(words))
    return { address: `https://github.com/${words}.git`, isFolder: false, shown: words };
  throw new UsageError(
    `"${withoutLogin(words)}" is not a repository: write OWNER/NAME, an address (https://, ssh://, git://, file://, git@HOST:PATH), or an existing folder`,
  );
}

/** The last part of the address, for the name of a folder. */
export function repositoryName({ address }: Repository): string {
  return basename(address.replace(/\/+$/, '').replace(/^.*:/, '')).replace(/\.git$/, '') || 'repository';
}

/** The text without the logins of the addresses in it: they may contain passwords. */
export function withoutLogin(address: string): string {
  return address.replace(/\/\/[^/@\s]*@/g, '//');
}

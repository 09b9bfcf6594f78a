/** What a repository may be called: a folder, an address of git, or OWNER/NAME of GitHub. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, resolve } from 'node:path';
import { UsageError } from '../usage-error.ts';

export interface Repository {
  /** As git takes it; of a folder its absolute path. */
  readonly address: string;
  readonly isFolder: boolean;
  /** For people, without a login. */
  readonly shown: string;
}

const ADDRESS = /^(https?|ssh|git|file):\/\/[^\s]+$/;
/** `git@host:path`, as ssh has it. */
const SCP = /^[\w.-]+@[\w.-]+:[^\s]+$/;
const OWNER_NAME = /^[\w][\w.-]*\/[\w.-]+$/;

/** A folder that is there wins over OWNER/NAME. Relative ones count from `base`. Throws UsageError. */
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
    `"${withoutLogin(words)}" is no repository: write OWNER/NAME, an address (https://, ssh://, git://, file://, git@HOST:PATH), or a folder that is there`,
  );
}

/** The last part of the address, for the name of a folder. */
export function repositoryName({ address }: Repository): string {
  return basename(address.replace(/\/+$/, '').replace(/^.*:/, '')).replace(/\.git$/, '') || 'repository';
}

/** A text without the logins of the addresses in it: a password is nobody’s business. */
export function withoutLogin(address: string): string {
  return address.replace(/\/\/[^/@\s]*@/g, '//');
}

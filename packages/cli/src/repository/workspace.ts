/** `--repo`: the folder that a new conversation works in, with the repository in it. */
import { join, resolve } from 'node:path';
import { dataDirectory } from '../config/home.ts';
import type { PlaceOptions } from '../flags/table.ts';
import { Interrupted, onInterrupt } from '../interrupts.ts';
import { type Repository, readRepository } from './address.ts';
import { cloneInto } from './clone.ts';

/** `directory` is absolute. Default: a new one under `~/.longhand/workspaces`, named by the conversation's id. Throws UsageError, Error. */
export async function clonedWorkspace(
  { repo, branch, directory }: Pick<PlaceOptions, 'branch' | 'directory'> & { readonly repo: string },
  conversationId: string,
  say: (line: string) => void,
): Promise<{ readonly directory: string; readonly repository: Repository }> {
  const repository = readRepository(repo, process.cwd());
  const target =
    directory === undefined
      ? join(dataDirectory(), 'workspaces', conversationId.replaceAll('-', ''))
      : resolve(directory);
  const interrupted = new AbortController();
  const off = onInterrupt(() => interrupted.abort());
  try {
    say(`cloning ${repository.shown}`);
    await cloneInto(target, repository, branch, interrupted.signal);
    return { directory: target, repository };
  } catch (error) {
    throw interrupted.signal.aborted ? new Interrupted() : error;
  } finally {
    off();
  }
}

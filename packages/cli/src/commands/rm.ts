import { renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { acquireWriterLock } from '@longhand/sdk/internal';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { type Asked, defineCommand, type Words } from '../flags/command.ts';
import { LOG_LEVEL } from '../flags/shared-flags.ts';
import { STORE } from '../flags/table.ts';
import { conversationsDirectory, type Found, findConversation } from '../stored/find-conversation.ts';
import { UsageError } from '../usage-error.ts';

const FLAGS = { output: { logLevel: LOG_LEVEL }, store: STORE };

const ids: Words<readonly string[]> = {
  completion: 'conversation',
  read: (words, command) => {
    if (words.length === 0 || words.includes(''))
      throw new UsageError(`${command} needs the id or the name of a conversation; longhand ls lists them`);
    return words;
  },
};

/** `longhand rm ID...`: removes conversations with everything that is stored of them. */
export const rm = defineCommand({
  name: 'rm',
  about:
    'longhand rm ID [ID ...]: removes conversations, with their sub-agents and stored outputs. The folders that they worked in stay.',
  flags: FLAGS,
  words: ids,
  run: remove,
});

/** All of them are found before the first is removed. */
async function remove({ words, store }: Asked<typeof FLAGS, readonly string[]>): Promise<ExitCode> {
  const conversationsDir = conversationsDirectory(store.conversationsDir);
  const found = new Map(
    words.map((word) => findConversation(conversationsDir, word)).map((each) => [each.id, each]),
  );
  for (const each of found.values()) {
    await removeConversation(each);
    process.stdout.write(`removed ${each.id.replaceAll('-', '')}\n`);
  }
  return EXIT.ok;
}

/** Renamed first: if the process is killed, no half of a conversation is left under its id. Throws LogError if it is being written. */
async function removeConversation({ directory }: Found): Promise<void> {
  const lock = await acquireWriterLock(directory);
  const doomed = join(dirname(directory), `.removed-${basename(directory)}`);
  try {
    rmSync(doomed, { recursive: true, force: true });
    renameSync(directory, doomed);
  } finally {
    lock.release();
  }
  rmSync(doomed, { recursive: true, force: true });
}

import { forkDirectory } from '@longhand/sdk';
import { defined } from '@longhand/sdk/value';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { type Asked, defineCommand, oneId } from '../flags/command.ts';
import { AT, LOG_LEVEL } from '../flags/shared-flags.ts';
import { STORE } from '../flags/table.ts';
import { conversationsDirectory, findConversation, shortId } from '../stored/find-conversation.ts';
import { commandName, whereFlag } from '../stored/where.ts';
import { UsageError } from '../usage-error.ts';
import { createReporter } from '../view/reporter.ts';

const FLAGS = { upTo: { at: AT }, output: { logLevel: LOG_LEVEL }, store: STORE };

/** `longhand fork ID --at N`: a new conversation with the history of another up to event N. Prints its id. */
export const fork = defineCommand({
  name: 'fork',
  about:
    'longhand fork ID [--at N]: starts a new conversation with the events 0 to N of another one, and prints its id.',
  flags: FLAGS,
  words: oneId,
  run: forkConversation,
});

async function forkConversation({ words, upTo, store }: Asked<typeof FLAGS, string>): Promise<ExitCode> {
  const conversationsDir = conversationsDirectory(store.conversationsDir);
  const { directory } = findConversation(conversationsDir, words);
  try {
    const { at } = upTo;
    const { warn: onWarning } = createReporter({}, process, process.env);
    const id = await forkDirectory(directory, { conversationsDir, onWarning, ...defined({ at }) });
    const short = shortId(conversationsDir, id);
    process.stdout.write(`${id.replaceAll('-', '')}\n`);
    process.stderr.write(
      `resume:  ${commandName()} --resume ${short}${whereFlag(store.conversationsDir)} -t "..."\n`,
    );
    return EXIT.ok;
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(error.message);
    throw error;
  }
}

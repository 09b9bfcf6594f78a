import { forkDirectory } from '@longhand/sdk';
import { defined } from '@longhand/sdk/value';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { ForkCommand } from '../flags/commands.ts';
import { conversationsDirectory, findConversation, shortId } from '../stored/find-conversation.ts';
import { commandName, whereFlag } from '../stored/where.ts';
import { UsageError } from '../usage-error.ts';

/** `longhand fork ID --at N`: a new conversation with the same beginning. Prints its id. */
export async function fork(command: ForkCommand): Promise<ExitCode> {
  const conversationsDir = conversationsDirectory(command.conversationsDir);
  const { directory } = findConversation(conversationsDir, command.id);
  try {
    const { at } = command;
    const id = await forkDirectory(directory, { conversationsDir, ...defined({ at }) });
    const short = shortId(conversationsDir, id);
    process.stdout.write(`${id.replaceAll('-', '')}\n`);
    process.stderr.write(
      `go on:  ${commandName()} --resume ${short}${whereFlag(command.conversationsDir)} -t "..."\n`,
    );
    return EXIT.ok;
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(error.message);
    throw error;
  }
}

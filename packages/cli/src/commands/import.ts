import { storeImported } from '@longhand/sdk';
import { DEFAULT_TOOLS } from '@longhand/tools';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { ImportCommand } from '../flags/commands.ts';
import { readTrajectoryFile } from '../run/trajectory-file.ts';
import { makeConversationsDirectory, workingDirectory } from '../stored/directory.ts';
import { conversationsDirectory, shortId } from '../stored/find-conversation.ts';
import { commandName, whereFlag } from '../stored/where.ts';

/** `longhand import FILE`: makes a conversation of somebody's trajectory. Prints its id. */
export async function importTrajectory(command: ImportCommand): Promise<ExitCode> {
  const imported = readTrajectoryFile(command.file, command.format);
  const workingDir = workingDirectory(command.directory ?? '.', 'choose one with -d');
  const conversationsDir = makeConversationsDirectory(conversationsDirectory(command.conversationsDir));
  const id = await storeImported(imported, {
    conversationsDir,
    workingDir,
    tools: DEFAULT_TOOLS,
  });
  const where = whereFlag(command.conversationsDir);
  const short = shortId(conversationsDir, id);
  process.stdout.write(`${id.replaceAll('-', '')}\n`);
  process.stderr.write(
    `look:   ${commandName()} show ${short}${where}\ngo on:  ${commandName()} --resume ${short}${where} -t "..."\n`,
  );
  return EXIT.ok;
}

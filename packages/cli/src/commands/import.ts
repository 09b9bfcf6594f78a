import { storeImported } from '@longhand/sdk';
import { IMPORT_FORMATS, IMPORTERS } from '@longhand/sdk/internal';
import { DEFAULT_TOOLS } from '@longhand/tools';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { type Asked, defineCommand, oneWord } from '../flags/command.ts';
import { valueFlag } from '../flags/flag.ts';
import { DIRECTORY, LOG_LEVEL } from '../flags/shared-flags.ts';
import { STORE } from '../flags/table.ts';
import { listed, oneOf } from '../flags/value.ts';
import { readTrajectoryFile } from '../run/trajectory-file.ts';
import { makeConversationsDirectory, workingDirectory } from '../stored/directory.ts';
import { conversationsDirectory, shortId } from '../stored/find-conversation.ts';
import { commandName, whereFlag } from '../stored/where.ts';

const FLAGS = {
  from: {
    format: valueFlag(oneOf('FORMAT', IMPORT_FORMATS), {
      name: 'format',
      help: listed(IMPORT_FORMATS.map((format) => `${format} (${IMPORTERS[format].about})`)),
      default: 'recognised by its content',
    }),
  },
  place: { directory: DIRECTORY },
  output: { logLevel: LOG_LEVEL },
  store: STORE,
};

/** `longhand import FILE`: starts a conversation from a trajectory. Prints its id. */
export const importCommand = defineCommand({
  name: 'import',
  about:
    'longhand import FILE: starts a new conversation with the history of a trajectory, and prints its id. Accepted are a\ntrajectory of OpenHands V0, chat messages, a file with one event per line, and a folder of events.',
  flags: FLAGS,
  words: oneWord('a file, or a folder of events', 'file', 'file'),
  run: importTrajectory,
});

async function importTrajectory({
  words: file,
  from,
  place,
  store,
}: Asked<typeof FLAGS, string>): Promise<ExitCode> {
  const imported = readTrajectoryFile(file, from.format);
  const workingDir = workingDirectory(place.directory ?? '.', 'choose one with -d');
  const conversationsDir = makeConversationsDirectory(conversationsDirectory(store.conversationsDir));
  const id = await storeImported(imported, { conversationsDir, workingDir, tools: DEFAULT_TOOLS });
  const where = whereFlag(store.conversationsDir);
  const short = shortId(conversationsDir, id);
  process.stdout.write(`${id.replaceAll('-', '')}\n`);
  process.stderr.write(
    `show:    ${commandName()} show ${short}${where}\nresume:  ${commandName()} --resume ${short}${where} -t "..."\n`,
  );
  return EXIT.ok;
}

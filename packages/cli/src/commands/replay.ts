import { statSync } from 'node:fs';
import { type ReplayReport, replay as replayConversation, storedReplaySource } from '@longhand/sdk';
import {
  cassetteReplaySource,
  describeDifference,
  type Omitted,
  ReplayMismatch,
  type ReplaySource,
} from '@longhand/sdk/internal';
import { builtinTools } from '@longhand/tools';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { type Asked, defineCommand, oneWord } from '../flags/command.ts';
import { onFlag } from '../flags/flag.ts';
import { OUTPUT } from '../flags/shared-flags.ts';
import { STORE } from '../flags/table.ts';
import { readCassette } from '../run/cassette-file.ts';
import { conversationsDirectory, findConversation } from '../stored/find-conversation.ts';
import { ownLine } from '../view/own-lines.ts';
import { sanitize } from '../view/sanitize.ts';

const FLAGS = {
  comparison: {
    strict: onFlag({
      name: 'strict',
      help: 'compare byte for byte, also the messages of each request; without it ids, times and the system prompt may differ',
    }),
  },
  output: OUTPUT,
  store: STORE,
};
type ReplayOptions = Asked<typeof FLAGS, string>;

/** `longhand replay ID|FILE`: repeats a conversation from its record, and reports whether the same events come out. */
export const replay = defineCommand({
  name: 'replay',
  about:
    'longhand replay ID|FILE: repeats a conversation from its log, or from a cassette. Replies, results, ids and times come\nfrom the record; neither the network nor the workspace is touched. Exit code 1 and the first difference if the events differ.',
  flags: FLAGS,
  words: oneWord("a conversation's id, the beginning of one, or a cassette", 'id', 'conversation'),
  run: replayStored,
});

async function replayStored(asked: ReplayOptions): Promise<ExitCode> {
  const source = await sourceOf(asked);
  const { strict } = asked.comparison;
  try {
    const report = await replayConversation(source, { tools: builtinTools, strict });
    const { omitted } = source;
    process.stdout.write(
      asked.output.json
        ? ownLine({ type: 'replay', ...report, ...(omitted === undefined ? {} : { omitted }) })
        : `${sanitize(words(report))}${omitted === undefined ? '' : besides(omitted)}\n`,
    );
    return report.difference === undefined ? EXIT.ok : EXIT.error;
  } catch (error) {
    if (!(error instanceof ReplayMismatch)) throw error;
    process.stderr.write(`longhand: ${sanitize(error.message)}\n`);
    return EXIT.error;
  }
}

function sourceOf({ words: source, store }: ReplayOptions): Promise<ReplaySource> {
  const isFile = statSync(source, { throwIfNoEntry: false })?.isFile() === true;
  if (isFile) return cassetteReplaySource(readCassette(source));
  return storedReplaySource(
    findConversation(conversationsDirectory(store.conversationsDir), source).directory,
  );
}

/** Why the log has more events than the branch that is replayed. */
function besides({ bookkeeping, otherBranches }: Omitted): string {
  const parts = [
    ...(bookkeeping === 0 ? [] : [`${bookkeeping} state updates, which follow from the others`]),
    ...(otherBranches === 0 ? [] : [`${otherBranches} on other branches`]),
  ];
  return parts.length === 0 ? '' : `; not replayed: ${parts.join(', and ')}`;
}

function words({ reproduced, recorded, difference }: ReplayReport): string {
  if (difference === undefined) return `all ${recorded} events came out as recorded`;
  return `${reproduced} of ${recorded} events came out as recorded; event ${difference.event} of the branch differs ${describeDifference(difference)}`;
}

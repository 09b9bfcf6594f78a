import { statSync } from 'node:fs';
import {
  cassetteReplaySource,
  describeDifference,
  ReplayMismatch,
  type ReplayReport,
  type ReplaySource,
  replay as replayConversation,
  storedReplaySource,
} from '@longhand/sdk';
import { builtinTools } from '@longhand/tools';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { ReplayCommand } from '../flags/commands.ts';
import { readCassette } from '../run/cassette-file.ts';
import { conversationsDirectory, findConversation } from '../stored/find-conversation.ts';
import { ownLine } from '../view/own-lines.ts';
import { sanitize } from '../view/sanitize.ts';

/** `longhand replay ID|FILE`: drives a conversation again from its record, and says whether it came out the same. */
export async function replay(command: ReplayCommand): Promise<ExitCode> {
  const source = await sourceOf(command);
  try {
    const report = await replayConversation(source, { tools: builtinTools, strict: command.strict });
    process.stdout.write(
      command.json ? ownLine({ type: 'replay', ...report }) : `${sanitize(words(report))}\n`,
    );
    return report.difference === undefined ? EXIT.ok : EXIT.error;
  } catch (error) {
    if (!(error instanceof ReplayMismatch)) throw error;
    process.stderr.write(`longhand: ${sanitize(error.message)}\n`);
    return EXIT.error;
  }
}

function sourceOf({ source, conversationsDir }: ReplayCommand): Promise<ReplaySource> {
  const isFile = statSync(source, { throwIfNoEntry: false })?.isFile() === true;
  if (isFile) return cassetteReplaySource(readCassette(source));
  return storedReplaySource(findConversation(conversationsDirectory(conversationsDir), source).directory);
}

function words({ reproduced, recorded, difference }: ReplayReport): string {
  if (difference === undefined) return `all ${recorded} events came out as recorded`;
  return `${reproduced} of ${recorded} events came out as recorded; event ${difference.event} of the branch differs ${describeDifference(difference)}`;
}

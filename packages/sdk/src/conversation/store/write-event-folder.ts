import { renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Event } from '../../event/kinds.ts';
import { writeFileAtomic } from '../../log/atomic-file.ts';
import { PRIVATE_FOLDER } from '../../log/disk.ts';
import { FileEventLog } from '../../log/file-event-log.ts';
import { makeFolder } from '../../value/make-folder.ts';
import { BASE_STATE_FILE } from './base-state.ts';

const BATCH = 64;

/** Makes `directory` the folder of a conversation. `baseState` is the file's text, if there is one; `more` writes other files there. */
export async function writeEventFolder(
  directory: string,
  events: readonly Event[],
  baseState: string | undefined,
  more: (directory: string) => void = () => undefined,
): Promise<void> {
  makeFolder(join(directory, 'events'), PRIVATE_FOLDER);
  // After a power cut the folder can be made again.
  const log = await FileEventLog.open(directory, { durability: 'process' });
  try {
    for (let i = 0; i < events.length; i += BATCH) await log.append(...events.slice(i, i + BATCH));
  } finally {
    await log.close();
  }
  if (baseState !== undefined) await writeFileAtomic(join(directory, BASE_STATE_FILE), baseState, 'process');
  more(directory);
}

/** The same in the folder of all conversations: it appears there complete or not at all. */
export async function placeEventFolder(
  ...[directory, ...content]: Parameters<typeof writeEventFolder>
): Promise<void> {
  const unfinished = join(dirname(directory), `.new-${basename(directory)}`);
  try {
    await writeEventFolder(unfinished, ...content);
    renameSync(unfinished, directory);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw error;
  }
}

/**
 * The folder of a conversation as the reference's SDK keeps it: `base_state.json` and `events/event-00042-<id>.json`. Also reads
 * the exports of older versions and of its servers: `events/000042_<id>.json`, or the event files beside `base_state.json`.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { accountsIn, untold } from '../conversation/state/accounts.ts';
import { STATE_KEYS, stateUpdate } from '../conversation/state/state.ts';
import type { StoredBaseState } from '../conversation/store/base-state.ts';
import { readBaseState } from '../conversation/store/open.ts';
import { writeEventFolder } from '../conversation/store/write-event-folder.ts';
import { EventFormatError, parseEvent } from '../event/codec.ts';
import type { Event } from '../event/kinds.ts';
import type { Exporter } from './exporter.ts';
import { baseStateForReference, eventForReference } from './for-reference.ts';
import { type Imported, withEnding } from './imported.ts';
import type { Importer } from './importer.ts';
import { stamped } from './make-events.ts';
import { TrajectoryError } from './trajectory-error.ts';

const EVENT_FILE = /^(?:event[-_])?(\d{3,})[-_].+\.json$/;

/** Throws TrajectoryError that names the file. */
export function readEventFolder(directory: string): Imported {
  const inner = join(directory, 'events');
  const folder = statSync(inner, { throwIfNoEntry: false })?.isDirectory() === true ? inner : directory;
  const names = readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const { name } = entry;
      const [, index] = EVENT_FILE.exec(name) ?? [];
      if (index === undefined) return [];
      // Reading a pipe could block forever.
      if (!entry.isFile() && !entry.isSymbolicLink()) throw new TrajectoryError(`${name} is not a file`);
      return [{ name, index: Number(index) }];
    })
    .sort((a, b) => a.index - b.index);
  if (names.length === 0)
    throw new TrajectoryError(`there are no event files such as event-00000-<id>.json in ${folder}`);
  const nameOfId = new Map<string, string>();
  const events = names.map(({ name }) => {
    const event = readEventFile(folder, name);
    const before = nameOfId.get(event.id);
    if (before !== undefined) throw new TrajectoryError(`${name} has the id of ${before}`);
    nameOfId.set(event.id, name);
    return event;
  });
  const stored = baseState(directory);
  return {
    events: withState(events, stored),
    where: (id) => nameOfId.get(id) ?? '',
    ...(stored?.agent === undefined ? {} : { agent: stored.agent }),
  };
}

/** The reference stores status and accounts outside the events. */
function withState(events: readonly Event[], stored: StoredBaseState | undefined): Event[] {
  const accounts = untold(accountsIn(events), stored?.stats);
  const tellsStatus = events.some(
    (event) => event.kind === 'ConversationStateUpdateEvent' && event.key === STATE_KEYS.status,
  );
  const timestamp = events.at(-1)?.timestamp;
  return [
    ...(stored === undefined || tellsStatus ? events : withEnding(events)),
    ...(accounts === undefined ? [] : [stamped(stateUpdate(STATE_KEYS.stats, accounts), timestamp)]),
  ];
}

function baseState(directory: string): StoredBaseState | undefined {
  try {
    return readBaseState(directory);
  } catch (error) {
    throw new TrajectoryError((error as Error).message);
  }
}

function readEventFile(folder: string, name: string): Event {
  try {
    return parseEvent(readFileSync(join(folder, name), 'utf8'));
  } catch (error) {
    if (!(error instanceof EventFormatError)) throw error;
    throw new TrajectoryError(`${name}: an event is expected, but ${error.message}`);
  }
}

export const eventsExporter: Exporter = {
  about: 'a folder that the OpenHands SDK opens, whatever tools were used',
  folder: async ({ events, baseState, render }, directory) => {
    const shown = await render();
    const known = events.map((event) => eventForReference(event, shown));
    const state = baseState === undefined ? undefined : baseStateForReference(baseState);
    await writeEventFolder(directory, known, state);
  },
};

export const eventsImporter: Importer = {
  about: 'a folder of events',
  folder: readEventFolder,
};

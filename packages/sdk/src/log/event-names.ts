/** The names of the files in a folder of events, in the reference's form: `event-00042-<id>.json`. */
import { dirname, join } from 'node:path';
import type { EventId } from '../event/identity.ts';
import type { Disk } from './disk.ts';
import { LogError } from './log-error.ts';

/** A longer index would not come from counting, and the gap before it would be walked through. */
const FILE_NAME = /^event-(\d{5,7})-([0-9a-fA-F-]{8,})\.json$/;
/** The reference's marker of the number of events; while it exists, the reference does not count them again. */
const LENGTH_MARKER = /^\.eventlog-(?:len|count)-\d+\.marker$/;

export interface ListedEvents {
  /** By index; undefined in a gap. */
  readonly ids: (EventId | undefined)[];
  readonly indices: Map<EventId, number>;
  /** The names of the reference's length markers. */
  readonly markers: readonly string[];
}

export interface ListOptions {
  /** Whether a folder that is missing counts as empty. */
  readonly mayBeNew: boolean;
  readonly warn: (text: string) => void;
}

export function fileName(index: number, id: EventId): string {
  return `event-${String(index).padStart(5, '0')}-${id}.json`;
}

/** Warns of files that are skipped, and of gaps. Throws LogError `not_found` or `io`. */
export function listEvents(folder: string, disk: Disk, { mayBeNew, warn }: ListOptions): ListedEvents {
  const ids: (EventId | undefined)[] = [];
  const indices = new Map<EventId, number>();
  const markers: string[] = [];
  for (const name of namesIn(folder, disk, mayBeNew).sort()) {
    const [, digits, id] = FILE_NAME.exec(name) ?? [];
    if (digits === undefined || id === undefined) {
      if (LENGTH_MARKER.test(name)) markers.push(name);
      if (!name.startsWith('.') && !name.endsWith('.corrupt'))
        warn(`${join(folder, name)} is not an event; it is left alone`);
      continue;
    }
    const index = Number(digits);
    if (ids[index] !== undefined || indices.has(id)) {
      warn(`${join(folder, name)} has the index or the id of another event; it is skipped`);
      continue;
    }
    ids[index] = id;
    indices.set(id, index);
  }
  const missing = ids.length - indices.size;
  if (missing > 0) warn(`${folder} lacks ${missing} of ${ids.length} events; the others are used`);
  return { ids, indices, markers };
}

const NO_EVENTS =
  'has no events: it is no conversation, or the process that began it ended before it stored one; resume it with a task, or remove it';

function exists(folder: string, disk: Disk): boolean {
  try {
    disk.list(folder);
    return true;
  } catch {
    return false;
  }
}

function namesIn(folder: string, disk: Disk, mayBeNew: boolean): string[] {
  try {
    return disk.list(folder);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'not_found' : 'io';
    if (code === 'not_found' && mayBeNew) return [];
    if (code === 'not_found' && exists(dirname(folder), disk))
      throw new LogError(code, `${dirname(folder)} ${NO_EVENTS}`, error);
    throw new LogError(code, `${folder} cannot be listed: ${(error as Error).message}`, error);
  }
}

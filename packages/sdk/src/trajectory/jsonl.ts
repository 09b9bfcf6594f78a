/** One event per line, as on disk: the whole log without loss. */
import { EventFormatError, parseEvent, serializeEvent } from '../event/codec.ts';
import type { Event } from '../event/kinds.ts';
import { isRecord } from '../value/is-record.ts';
import type { Exporter } from './exporter.ts';
import type { Imported } from './imported.ts';
import type { Importer } from './importer.ts';
import { TrajectoryError } from './trajectory-error.ts';

/** Events as lines of JSON, each with a line ending. */
export function* toJsonl(events: Iterable<Event>): Iterable<string> {
  for (const event of events) yield `${serializeEvent(event)}\n`;
}

/** Throws TrajectoryError that names the line. */
export function fromJsonl(source: string): Imported {
  const lineOfId = new Map<string, number>();
  const events: Event[] = [];
  for (const [i, line] of source
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue;
    const event = eventOfLine(line, i + 1);
    const before = lineOfId.get(event.id);
    if (before !== undefined)
      throw new TrajectoryError(`the event ${event.id} is already in line ${before}`, i + 1);
    lineOfId.set(event.id, i + 1);
    events.push(event);
  }
  if (events.length === 0) throw new TrajectoryError('it has no events; expected one per line');
  return { events, where: (id) => (lineOfId.has(id) ? `line ${lineOfId.get(id)}` : '') };
}

function eventOfLine(line: string, number: number): Event {
  try {
    return parseEvent(line);
  } catch (error) {
    if (!(error instanceof EventFormatError)) throw error;
    throw new TrajectoryError(`expected an event as a JSON object, but ${error.message}`, number);
  }
}

export const jsonlExporter: Exporter = {
  about: 'one event per line',
  text: ({ events }) => [...toJsonl(events)].join(''),
};

export const jsonlImporter: Importer = {
  about: 'a file with one event per line',
  recognises: (source) => isEvent(source.trimStart().split('\n', 1)[0] ?? ''),
  text: fromJsonl,
};

function isEvent(line: string): boolean {
  try {
    const json: unknown = JSON.parse(line.replace(/^\uFEFF/, ''));
    return isRecord(json) && 'kind' in json;
  } catch {
    return false; // a list over several lines, or another format
  }
}

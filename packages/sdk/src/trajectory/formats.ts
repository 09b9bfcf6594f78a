/** Detects and reads the formats that can be imported. */

import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { isRecord } from '../value/is-record.ts';
import { readEventFolder } from './event-folder.ts';
import { fromOpenAi } from './from-openai.ts';
import type { Imported } from './imported.ts';
import { parseJson } from './json-text.ts';
import { fromJsonl } from './jsonl.ts';
import { TrajectoryError } from './trajectory-error.ts';
import { fromV0 } from './v0/from-v0.ts';

const NEWLINE = 0x0a;

export const IMPORT_FORMATS = ['v0', 'events', 'openai', 'jsonl'] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** Reads a file, or a folder of events; the format is detected from the content. Throws TrajectoryError. */
export function readTrajectory(path: string, format?: ImportFormat): Imported {
  const isFolder = statSync(path).isDirectory();
  if (isFolder && format !== undefined && format !== 'events')
    throw new TrajectoryError(`expected a file, but it is a folder`);
  if (isFolder) return readEventFolder(path);
  if (format === 'events') throw new TrajectoryError('expected a folder of events, but it is a file');
  return parseTrajectory(textIn(readFileSync(path)), format);
}

/** Throws TrajectoryError that names the first line that is not UTF-8. */
function textIn(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let line = 1;
  for (let at = 0, end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, at)) {
    if (!isUtf8(bytes.subarray(at, end))) break;
    line += 1;
    at = end + 1;
  }
  throw new TrajectoryError(`line ${line}: it is not UTF-8 text`);
}

/** Throws TrajectoryError that names the line. */
export function parseTrajectory(
  source: string,
  format: Exclude<ImportFormat, 'events'> = formatOf(source),
): Imported {
  try {
    return READERS[format](source);
  } catch (error) {
    // Traversing deep nesting overflows the stack.
    if (error instanceof RangeError) throw new TrajectoryError('it is nested too deep');
    throw error;
  }
}

const READERS = { v0: fromV0, openai: fromOpenAi, jsonl: fromJsonl } as const;

function formatOf(source: string): 'v0' | 'openai' | 'jsonl' {
  const [first = ''] = source.trimStart().split('\n', 1);
  if (isEventLine(first)) return 'jsonl';
  const json = parseJson(source);
  const element: unknown = Array.isArray(json) ? json[0] : undefined;
  if (isRecord(json) && Array.isArray(json['messages'])) return 'openai';
  if (isRecord(element) && 'role' in element) return 'openai';
  if (isRecord(element) && ('action' in element || 'observation' in element)) return 'v0';
  throw new TrajectoryError(
    'unknown format; expected a V0 trajectory (a list of actions and observations), a list of chat messages, or one event per line',
  );
}

function isEventLine(line: string): boolean {
  try {
    const json: unknown = JSON.parse(line.replace(/^\uFEFF/, ''));
    return isRecord(json) && 'kind' in json;
  } catch {
    return false; // a list over several lines, or an unknown format
  }
}

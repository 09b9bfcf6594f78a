/** Reads a trajectory in any format that can be imported. */

import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import type { Imported } from './imported.ts';
import type { Importer } from './importer.ts';
import { IMPORT_FORMATS, IMPORTERS, type ImportFormat } from './importers.ts';
import { parseJson } from './json-text.ts';
import { TrajectoryError } from './trajectory-error.ts';

const NEWLINE = 0x0a;

/** Reads a file, or a folder of events; the format is detected from the content. Throws TrajectoryError. */
export function readTrajectory(path: string, format?: ImportFormat): Imported {
  if (!statSync(path).isDirectory()) return parseTrajectory(textIn(readFileSync(path)), format);
  const importer = format === undefined ? FOLDERS[0] : importerOf(format);
  if (importer?.folder === undefined) throw new TrajectoryError('expected a file, but it is a folder');
  return importer.folder(path);
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

/** Reads a text; the format is detected from the content. Throws TrajectoryError that names the line. */
export function parseTrajectory(source: string, format?: ImportFormat): Imported {
  try {
    const importer = format === undefined ? recognised(source) : importerOf(format);
    if (importer.text === undefined)
      throw new TrajectoryError('expected a folder of events, but it is a file');
    return importer.text(source);
  } catch (error) {
    // Traversing deep nesting overflows the stack.
    if (error instanceof RangeError) throw new TrajectoryError('it is nested too deep');
    throw error;
  }
}

function importerOf(format: ImportFormat): Importer {
  return IMPORTERS[format];
}

const ALL = IMPORT_FORMATS.map(importerOf);
const FOLDERS = ALL.filter(({ folder }) => folder !== undefined);

/** Throws TrajectoryError. */
function recognised(source: string): Importer {
  const json = jsonOf(source);
  const found = ALL.find((each) => each.recognises?.(source, json) === true);
  if (found !== undefined) return found;
  parseJson(source); // names the line of a mistake
  const known = ALL.filter(({ text }) => text !== undefined).map(({ about }) => about);
  throw new TrajectoryError(`unknown format; expected ${known.slice(0, -1).join(', ')}, or ${known.at(-1)}`);
}

function jsonOf(source: string): unknown {
  try {
    return parseJson(source);
  } catch (error) {
    if (!(error instanceof TrajectoryError)) throw error;
    return undefined; // a list of lines, or a format of its own
  }
}

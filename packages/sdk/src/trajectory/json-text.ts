/** Parses JSON and reports errors with their lines. */
import { TrajectoryError } from './trajectory-error.ts';

export type Json = { readonly [key: string]: unknown };
export type JsonPath = readonly (string | number)[];

/** Throws TrajectoryError with the line of the first error. */
export function parseJson(source: string): unknown {
  try {
    return JSON.parse(source.replace(/^\uFEFF/, ''));
  } catch (error) {
    const [why] = (error as Error).message.split(/ (?:in JSON )?at position| \(line/);
    throw new TrajectoryError(`not valid JSON: ${why}`, lineAt(source, walk(source, null)));
  }
}

/** The line of the value at `path` in valid JSON; the last line if there is no such value. */
export function lineOfValue(source: string, path: JsonPath): number {
  return lineAt(source, walk(source, path));
}

function lineAt(source: string, offset: number): number {
  let line = 1;
  const end = Math.min(offset, source.trimEnd().length);
  for (let at = source.indexOf('\n'); at !== -1 && at < end; at = source.indexOf('\n', at + 1)) line += 1;
  return line;
}

interface Level {
  readonly isList: boolean;
  /** The index or key of the next value. */
  step: string | number;
}

const TOKEN = /[\s\uFEFF]*(?:([[\]{},:])|(")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null))/y;
const IN_STRING = /["\\\u0000-\u001f]/g;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/** The end of the string that starts at `from`; -1 if it is unclosed. One regular expression for all of it would fail on megabytes. */
function stringEnd(source: string, from: number): number {
  IN_STRING.lastIndex = from + 1;
  for (;;) {
    const [found] = IN_STRING.exec(source) ?? [];
    if (found === '"') return IN_STRING.lastIndex;
    ESCAPE.lastIndex = IN_STRING.lastIndex - 1;
    if (found !== '\\' || !ESCAPE.test(source)) return -1;
    IN_STRING.lastIndex = ESCAPE.lastIndex;
  }
}

/** Goes over the text; the offset of the value at `wanted`, or of what should not stand where it does, or the text's end. */
function walk(source: string, wanted: JsonPath | null): number {
  const levels: Level[] = [];
  let expected: 'value' | 'key' | 'colon' | 'next' = 'value';
  /** Whether a list or object may end here: not after a comma. */
  let mayEnd = false;
  TOKEN.lastIndex = 0;
  for (;;) {
    const from = TOKEN.lastIndex;
    const [whole = '', sign, quote, other = ''] = TOKEN.exec(source) ?? [];
    const start = TOKEN.lastIndex - (sign ?? quote ?? other).length;
    const end = quote === undefined ? TOKEN.lastIndex : stringEnd(source, start);
    if (whole === '' || end === -1)
      return from + (source.slice(from).length - source.slice(from).trimStart().length);
    TOKEN.lastIndex = end;
    const string = quote === undefined ? undefined : source.slice(start, end);
    const level = levels.at(-1);
    const isEnd = sign === ']' || sign === '}';
    if (isEnd) {
      const fits = level !== undefined && level.isList === (sign === ']') && (expected === 'next' || mayEnd);
      if (!fits) return start;
      levels.pop();
      expected = 'next';
      mayEnd = false;
    } else if (expected === 'colon') {
      if (sign !== ':') return start;
      expected = 'value';
    } else if (expected === 'next') {
      if (sign !== ',' || level === undefined) return start;
      if (level.isList) level.step = Number(level.step) + 1;
      expected = level.isList ? 'value' : 'key';
      mayEnd = false;
    } else if (expected === 'key') {
      if (string === undefined || level === undefined) return start;
      level.step = JSON.parse(string) as string;
      expected = 'colon';
      mayEnd = false;
    } else {
      if (sign === ',' || sign === ':') return start;
      if (wanted !== null && leadsHere(wanted, levels)) return start;
      mayEnd = sign === '[' || sign === '{';
      if (mayEnd) levels.push({ isList: sign === '[', step: 0 });
      expected = sign === '{' ? 'key' : sign === '[' ? 'value' : 'next';
    }
  }
}

function leadsHere(path: JsonPath, levels: readonly Level[]): boolean {
  return path.length === levels.length && levels.every(({ step }, i) => step === path[i]);
}

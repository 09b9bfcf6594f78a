import { ToolError } from '@longhand/sdk';
import { headOf } from '@longhand/sdk/value';
import { countOf } from './encoding.ts';

export interface Place {
  readonly at: number;
  readonly length: number;
}

const SHOWN = 1_000;
const SHOWN_LINES = 100;

/** Finds a text: exactly, otherwise without surrounding white space. Throws ToolError unless it occurs exactly once. */
export function findOnce(content: string, wanted: string, path: string): Place {
  for (const candidate of new Set([wanted, wanted.trim()])) {
    const places = placesOf(content, candidate);
    const [at] = places;
    if (at === undefined) continue;
    if (places.length === 1) return { at, length: candidate.length };
    throw new ToolError(
      `old_str occurs more than once in ${path}, in lines [${linesOf(content, places)}]; nothing was changed. Include more of the text around the place that you mean.`,
    );
  }
  throw new ToolError(
    `old_str does not occur in ${path}; nothing was changed. ${hint(content, wanted)}View the file again. old_str was:\n${headOf(wanted, SHOWN)}`,
  );
}

/** All places, without overlaps. The empty text occurs before every line, and twice in a text of one line. */
export function placesOf(content: string, wanted: string): number[] {
  if (wanted === '') return content === '' ? [0] : startsOfLines(content);
  const places: number[] = [];
  for (let at = content.indexOf(wanted); at !== -1; at = content.indexOf(wanted, at + wanted.length))
    places.push(at);
  return places;
}

function startsOfLines(content: string): number[] {
  const places = [0];
  for (
    let at = content.indexOf('\n');
    at !== -1 && at + 1 < content.length;
    at = content.indexOf('\n', at + 1)
  )
    places.push(at + 1);
  return places.length > 1 ? places : [0, 0];
}

/** The lines of ascending places, each once, as a list for the model. */
export function linesOf(content: string, places: readonly number[]): string {
  const lines = new Set<number>();
  let line = 1;
  let seen = 0;
  for (const at of places) {
    line += countOf(content.slice(seen, at), '\n');
    seen = at;
    lines.add(line);
  }
  const shown = [...lines].slice(0, SHOWN_LINES).join(', ');
  return lines.size > SHOWN_LINES ? `${shown}, and ${lines.size - SHOWN_LINES} more` : shown;
}

export function lineOf(content: string, position: number): number {
  return countOf(content.slice(0, position), '\n') + 1;
}

/** The lines of a place with some context, and the number of the first. */
export function around(
  content: string,
  { at, length }: Place,
  context: number,
): { readonly first: number; readonly lines: readonly string[] } {
  let start = startOfLine(content, at);
  let end = endOfLine(content, at + length);
  for (let i = 0; i < context; i += 1) {
    if (start > 0) start = startOfLine(content, start - 1);
    if (end < content.length) end = endOfLine(content, end + 1);
  }
  const shown = content.slice(start, end);
  const lines = (end === content.length ? shown.replace(/\n$/, '') : shown).split('\n');
  return { first: lineOf(content, start), lines };
}

function startOfLine(content: string, position: number): number {
  return position === 0 ? 0 : content.lastIndexOf('\n', position - 1) + 1;
}

function endOfLine(content: string, position: number): number {
  const end = content.indexOf('\n', position);
  return end === -1 ? content.length : end;
}

/** A hint if the file contains the first line of the wanted text: the difference is then after it. */
function hint(content: string, wanted: string): string {
  const first = wanted
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line !== '');
  if (first === undefined) return '';
  const index = content.split('\n').findIndex((line) => line.trim() === first);
  return index === -1
    ? ''
    : `Its first line matches line ${index + 1}; white space or the following lines differ. `;
}

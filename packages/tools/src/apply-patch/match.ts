import { ToolError } from '@longhand/sdk';
import type { Span } from '../file-editor/encoding.ts';
import type { Hunk } from './parse.ts';

export interface Matched {
  readonly spans: readonly Span[];
  /** How far the patch was from what the file says: 1 for blanks at the end of a line, 100 for those around it, ... */
  readonly fuzz: number;
}

/** How lines may be compared, the strictest first, and what each costs. */
const COMPARISONS: readonly (readonly [fuzz: number, form: (line: string) => string])[] = [
  [0, (line) => line],
  [1, (line) => line.trimEnd()],
  [100, (line) => line.trim()],
];
const NOT_AT_END = 10_000;

/** Where the hunks of a file go. Each is looked for behind the one before. Throws ToolError for one that has no place. */
export function matchHunks(content: string, hunks: readonly Hunk[], path: string): Matched {
  const lines = content.split('\n');
  const starts = startsOf(lines);
  const spans: Span[] = [];
  let position = 0;
  let fuzz = 0;
  for (const [i, hunk] of hunks.entries()) {
    const anchored = behindAnchors(lines, hunk.anchors, position);
    const old = hunk.lines.filter(({ sign }) => sign !== '+').map(({ text }) => text);
    const found =
      findLines(lines, old, anchored.position, hunk.isAtEnd) ??
      // An empty line in front of the next header is often only there for the eye.
      (endsEmpty(hunk) ? findLines(lines, old.slice(0, -1), anchored.position, hunk.isAtEnd) : undefined);
    if (found === undefined) {
      throw new ToolError(
        `Hunk ${i + 1} of ${path} does not fit: behind line ${anchored.position} these lines do not follow each other. Nothing was changed. Look at the file again.\n${old.join('\n')}`,
      );
    }
    fuzz += anchored.fuzz + found.fuzz;
    spans.push(...spansOf(hunk, found.at, lines.length, starts));
    position = found.at + found.length;
  }
  return { spans, fuzz };
}

/** Offsets of the lines; of one more behind the last, where it would begin. */
function startsOf(lines: readonly string[]): readonly number[] {
  const starts = [0];
  for (const line of lines) starts.push((starts.at(-1) ?? 0) + line.length + 1);
  return starts;
}

/** An anchor that was passed already, or that there is not, changes nothing. */
function behindAnchors(
  lines: readonly string[],
  anchors: readonly string[],
  start: number,
): { readonly position: number; readonly fuzz: number } {
  let position = start;
  let fuzz = 0;
  for (const anchor of anchors) {
    const exact = lines.indexOf(anchor);
    const trimmed = exact === -1 ? lines.findIndex((line) => line.trim() === anchor.trim()) : exact;
    if (trimmed < position) continue;
    position = trimmed + 1;
    if (exact === -1) fuzz += 1;
  }
  return { position, fuzz };
}

function endsEmpty({ lines }: Hunk): boolean {
  const last = lines.at(-1);
  return lines.length > 1 && last?.sign === ' ' && last.text === '';
}

interface FoundLines {
  readonly at: number;
  readonly length: number;
  readonly fuzz: number;
}

function findLines(
  lines: readonly string[],
  old: readonly string[],
  position: number,
  isAtEnd: boolean,
): FoundLines | undefined {
  const { length } = old;
  // The empty piece behind the last line end is no line.
  const end = lines.at(-1) === '' ? lines.length - 1 : lines.length;
  const fits = (at: number, form: (line: string) => string) =>
    old.every((line, i) => form(line) === form(lines[at + i] ?? ''));
  if (isAtEnd) {
    for (const at of [end, lines.length].map((last) => last - old.length))
      for (const [fuzz, form] of COMPARISONS)
        if (at >= position && fits(at, form)) return { at, length, fuzz };
  }
  for (const [fuzz, form] of COMPARISONS)
    for (let at = position; at + old.length <= lines.length; at += 1)
      if (fits(at, form)) return { at, length, fuzz: fuzz + (isAtEnd ? NOT_AT_END : 0) };
  return undefined;
}

/** Lines that stay are not touched, so that they keep their blanks and line ends. */
function spansOf(hunk: Hunk, at: number, count: number, starts: readonly number[]): Span[] {
  const spans: Span[] = [];
  let line = at;
  let first = at;
  let come: string[] = [];
  const close = () => {
    if (line > first || come.length > 0) spans.push(spanOf(first, line, come, count, starts));
    come = [];
  };
  let isOpen = false;
  for (const { sign, text } of hunk.lines) {
    if (sign === ' ') {
      if (isOpen) close();
      isOpen = false;
      line += 1;
      continue;
    }
    if (!isOpen) first = line;
    isOpen = true;
    if (sign === '+') come.push(text);
    else line += 1;
  }
  if (isOpen) close();
  return spans;
}

/** Lines `[first, last)` replaced. The last line has no end of its own: the one before it goes or comes with it. */
function spanOf(
  first: number,
  last: number,
  come: readonly string[],
  count: number,
  starts: readonly number[],
): Span {
  const from = starts[first] ?? 0;
  const to = starts[last] ?? 0;
  if (last < count) return { from, to, text: come.map((line) => `${line}\n`).join('') };
  if (first === 0) return { from, to: to - 1, text: come.join('\n') };
  return { from: from - 1, to: to - 1, text: come.map((line) => `\n${line}`).join('') };
}

import { ToolError } from '@longhand/sdk';
import type { Span } from '../file-editor/encoding.ts';
import type { Hunk } from './parse.ts';

export interface Matched {
  readonly spans: readonly Span[];
  /** How inexact the match was: 1 for trailing white space, 100 for surrounding white space, ... */
  readonly fuzz: number;
}

/** The ways to compare lines, the strictest first, and the fuzz of each. */
const COMPARISONS: readonly (readonly [fuzz: number, form: (line: string) => string])[] = [
  [0, (line) => line],
  [1, (line) => line.trimEnd()],
  [100, (line) => line.trim()],
];
const NOT_AT_END = 10_000;

/** The positions of the hunks in a file. Each is searched for after the previous one. Throws ToolError if one does not match. */
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
      // An empty line before the next header is often only formatting.
      (endsEmpty(hunk) ? findLines(lines, old.slice(0, -1), anchored.position, hunk.isAtEnd) : undefined);
    if (found === undefined) {
      throw new ToolError(
        `Hunk ${i + 1} of ${path} does not match: after line ${anchored.position} the file does not contain these consecutive lines. Nothing was changed. View the file again.\n${old.join('\n')}`,
      );
    }
    fuzz += anchored.fuzz + found.fuzz;
    spans.push(...spansOf(hunk, found.at, lines.length, starts));
    position = found.at + found.length;
  }
  return { spans, fuzz };
}

/** Offsets of the lines, and of the end of the text. */
function startsOf(lines: readonly string[]): readonly number[] {
  const starts = [0];
  for (const line of lines) starts.push((starts.at(-1) ?? 0) + line.length + 1);
  return starts;
}

/** An anchor that is missing, or lies before the position, has no effect. */
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
  // The empty piece after the last line ending is not a line.
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

/** Context lines are not written, so that they keep their white space and line endings. */
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

/** Replaces lines `[first, last)`. If the last line has no line ending, the previous one is removed or added with it. */
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

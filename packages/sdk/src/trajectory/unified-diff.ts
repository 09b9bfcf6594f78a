/** A line diff in unified form, as GNU diff writes it but without file names. */
import { structuredPatch } from 'diff/lib/patch/create.js';

/** Most differences that are searched for. Beyond it the changed span is shown as removed and added as a whole. */
const MAX_DIFFERENCES = 400;
const CONTEXT = 3;

interface Hunk {
  /** Lines count from 1. */
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** Each with ` `, `-` or `+` before it. */
  readonly lines: readonly string[];
}

/** Hunks of a unified diff, headers included; empty if nothing differs. A line break at the end of a text does not count. */
export function unifiedDiff(before: string, after: string): string[] {
  const [old, now] = [ended(before), ended(after)];
  const options = { context: CONTEXT, maxEditLength: MAX_DIFFERENCES };
  const hunks = structuredPatch('', '', old, now, '', '', options)?.hunks ?? [
    replaced(linesOf(old), linesOf(now)),
  ];
  return hunks.flatMap((hunk) => [headerOf(hunk), ...hunk.lines]);
}

/** What is between the common beginning and the common end. */
function replaced(before: readonly string[], after: readonly string[]): Hunk {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const from = Math.max(0, start - CONTEXT);
  const behind = before.slice(before.length - end).slice(0, CONTEXT);
  return {
    oldStart: from + 1,
    oldLines: before.length - end - from + behind.length,
    newStart: from + 1,
    newLines: after.length - end - from + behind.length,
    lines: [
      ...before.slice(from, start).map((line) => ` ${line}`),
      ...before.slice(start, before.length - end).map((line) => `-${line}`),
      ...after.slice(start, after.length - end).map((line) => `+${line}`),
      ...behind.map((line) => ` ${line}`),
    ],
  };
}

function headerOf({ oldStart, oldLines, newStart, newLines }: Hunk): string {
  return `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`;
}

/** An empty range names the line before it. */
function range(start: number, count: number): string {
  const first = count === 0 ? start - 1 : start;
  return count === 1 ? `${first}` : `${first},${count}`;
}

function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function linesOf(text: string): string[] {
  return text.split('\n').slice(0, -1);
}

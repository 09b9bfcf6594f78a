/**
 * A line diff in unified form, after E. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986). The number
 * of differences looked for is bounded; beyond it, the changed span is shown as removed and added as a whole.
 */
export type Edit = { readonly op: ' ' | '-' | '+'; readonly line: string };

const MAX_DIFFERENCES = 400;
const CONTEXT = 3;

/** Hunks of a unified diff, headers included; empty if nothing differs. */
export function unifiedDiff(before: string, after: string): string[] {
  return hunks(diffLines(linesOf(before), linesOf(after)));
}

export function diffLines(before: readonly string[], after: readonly string[]): Edit[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const room = Math.min(before.length, after.length) - start;
  while (end < room && before.at(-1 - end) === after.at(-1 - end)) end += 1;

  const same = (line: string): Edit => ({ op: ' ', line });
  return [
    ...before.slice(0, start).map(same),
    ...diffMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ];
}

function diffMiddle(before: readonly string[], after: readonly string[]): Edit[] {
  const trace = search(before, after);
  if (trace === null) {
    return [
      ...before.map((line): Edit => ({ op: '-', line })),
      ...after.map((line): Edit => ({ op: '+', line })),
    ];
  }
  return backtrack(trace, before, after);
}

/** Furthest x reached on each diagonal k = x - y, one copy for each number of differences; null beyond the bound. */
function search(before: readonly string[], after: readonly string[]): Map<number, number>[] | null {
  const trace: Map<number, number>[] = [];
  let reached = new Map([[1, 0]]);
  for (let d = 0; d <= Math.min(before.length + after.length, MAX_DIFFERENCES); d++) {
    trace.push(reached);
    const next = new Map<number, number>();
    for (let k = -d; k <= d; k += 2) {
      let x = isInsertion(reached, k, d) ? (reached.get(k + 1) ?? 0) : (reached.get(k - 1) ?? 0) + 1;
      while (x < before.length && x - k < after.length && before[x] === after[x - k]) x += 1;
      next.set(k, x);
      if (x >= before.length && x - k >= after.length) return trace;
    }
    reached = next;
  }
  return null;
}

function isInsertion(reached: ReadonlyMap<number, number>, k: number, d: number): boolean {
  return k === -d || (k !== d && (reached.get(k - 1) ?? -1) < (reached.get(k + 1) ?? -1));
}

function backtrack(
  trace: readonly Map<number, number>[],
  before: readonly string[],
  after: readonly string[],
): Edit[] {
  const edits: Edit[] = [];
  let x = before.length;
  let y = after.length;
  for (let d = trace.length - 1; d >= 0; d--) {
    const reached = trace[d] ?? new Map<number, number>();
    const k = x - y;
    const insertion = isInsertion(reached, k, d);
    const fromX = reached.get(insertion ? k + 1 : k - 1) ?? 0;
    const fromY = fromX - (insertion ? k + 1 : k - 1);
    while (x > Math.max(fromX, 0) && y > Math.max(fromY, 0)) {
      x -= 1;
      y -= 1;
      edits.push({ op: ' ', line: before[x] ?? '' });
    }
    if (d === 0) break;
    if (insertion) edits.push({ op: '+', line: after[fromY] ?? '' });
    else edits.push({ op: '-', line: before[fromX] ?? '' });
    x = fromX;
    y = fromY;
  }
  return edits.reverse();
}

/** Changes with their context, those that are near each other together. */
function hunks(edits: readonly Edit[]): string[] {
  const spans: { from: number; to: number }[] = [];
  for (const [i, edit] of edits.entries()) {
    if (edit.op === ' ') continue;
    const last = spans.at(-1);
    if (last !== undefined && i - CONTEXT <= last.to) last.to = i + CONTEXT + 1;
    else spans.push({ from: Math.max(0, i - CONTEXT), to: i + CONTEXT + 1 });
  }
  return spans.flatMap(({ from, to }) => {
    const lines = edits.slice(from, to);
    const oldStart = edits.slice(0, from).filter((edit) => edit.op !== '+').length;
    const newStart = edits.slice(0, from).filter((edit) => edit.op !== '-').length;
    const oldCount = lines.filter((edit) => edit.op !== '+').length;
    const newCount = lines.filter((edit) => edit.op !== '-').length;
    const header = `@@ -${range(oldStart, oldCount)} +${range(newStart, newCount)} @@`;
    return [header, ...lines.map((edit) => `${edit.op}${edit.line}`)];
  });
}

/** As GNU diff writes it: lines count from 1, an empty range stands behind the line before it. */
function range(start: number, count: number): string {
  const first = count === 0 ? start : start + 1;
  return count === 1 ? `${first}` : `${first},${count}`;
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

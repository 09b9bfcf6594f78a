/** One measured figure, its baseline and its goal. */
export interface Figure {
  readonly name: string;
  readonly ours: number;
  readonly unit: 'ms' | 'MB' | '%';
  /** The same work done by the least code that can do it. */
  readonly floor?: { readonly name: string; readonly value: number };
  /** At most a multiple of the floor, at most a value, or at least a value. */
  readonly goal: { readonly timesFloor: number } | { readonly atMost: number } | { readonly atLeast: number };
}

export function isReached({ ours, floor, goal }: Figure): boolean {
  if ('timesFloor' in goal) return floor !== undefined && ours <= floor.value * goal.timesFloor;
  return 'atMost' in goal ? ours <= goal.atMost : ours >= goal.atLeast;
}

export function lineOf(figure: Figure): string {
  const { name, ours, unit, floor, goal } = figure;
  const cells = [
    name.padEnd(58),
    `${ours.toFixed(ours < 10 ? 3 : 1)} ${unit}`.padStart(12),
    (floor === undefined ? '' : `${floor.value.toFixed(floor.value < 10 ? 3 : 1)} ${unit}`).padStart(12),
    (floor === undefined ? '' : `${(ours / floor.value).toFixed(2)}x`).padStart(8),
    goalText(goal, unit).padStart(14),
    isReached(figure) ? 'reached' : 'NOT REACHED',
  ];
  return cells.join('  ');
}

function goalText(goal: Figure['goal'], unit: string): string {
  if ('timesFloor' in goal) return `<= ${goal.timesFloor}x`;
  return 'atMost' in goal ? `<= ${goal.atMost.toFixed(1)} ${unit}` : `>= ${goal.atLeast} ${unit}`;
}

export const HEADER = [
  'figure'.padEnd(58),
  'ours'.padStart(12),
  'floor'.padStart(12),
  'ratio'.padStart(8),
  'goal'.padStart(14),
  '',
].join('  ');

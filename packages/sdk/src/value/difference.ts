/** Finds the first difference between two JSON values. */
import { isRecord } from './is-record.ts';
export interface Difference {
  /** For example `messages[3].content[0].text`; empty for the values themselves. */
  readonly path: string;
  readonly recorded: unknown;
  readonly made: unknown;
}

/** The first difference, or null if the values are equal. Undefined members count as absent. */
export function firstDifference(recorded: unknown, made: unknown, path = ''): Difference | null {
  if (Array.isArray(recorded) && Array.isArray(made)) {
    for (let i = 0; i < Math.max(recorded.length, made.length); i += 1) {
      const found = firstDifference(recorded[i], made[i], `${path}[${i}]`);
      if (found !== null) return found;
    }
    return null;
  }
  if (isRecord(recorded) && isRecord(made)) {
    for (const key of new Set([...Object.keys(recorded), ...Object.keys(made)])) {
      const found = firstDifference(recorded[key], made[key], path === '' ? key : `${path}.${key}`);
      if (found !== null) return found;
    }
    return null;
  }
  return Object.is(recorded, made) ? null : { path, recorded, made };
}

const AROUND = 60;

/** A difference for people, in lines; of long texts only the part where they differ. */
export function describeDifference({ path, recorded, made }: Difference): string {
  const at =
    typeof recorded === 'string' && typeof made === 'string'
      ? Math.max(0, commonLength(recorded, made) - AROUND)
      : 0;
  return `at ${path === '' ? 'the whole' : path}\n  recorded: ${shown(recorded, at)}\n  made:     ${shown(made, at)}`;
}

function shown(value: unknown, from: number): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(typeof value === 'string' ? value.slice(from, from + 3 * AROUND) : value);
  const cut = text.length > 4 * AROUND ? `${text.slice(0, 4 * AROUND)}...` : text;
  return from === 0 ? cut : `...${cut}`;
}

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

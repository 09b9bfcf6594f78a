import type { Condenser } from './condenser.ts';
import { rolling } from './rolling.ts';

/** Forgets the middle when there are too many events, down to half of them. */
export function amortized({
  maxSize = 100,
  keepFirst = 1,
}: {
  maxSize?: number;
  keepFirst?: number;
}): Condenser {
  return rolling({ maxSize, keepFirst }, async () => ({}));
}

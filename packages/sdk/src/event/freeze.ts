/** A copy of plain data that may be changed; what is none (a date, a set) is the same. */
export function thawed<T>(value: T): T {
  if (Array.isArray(value)) return value.map(thawed) as T;
  if (typeof value !== 'object' || value === null || !PLAIN.has(Object.getPrototypeOf(value))) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, thawed(part)])) as T;
}
const PLAIN: ReadonlySet<unknown> = new Set([Object.prototype, null]);

/** Twice what our own events come to: to write it takes more of the stack than to read it. */
const MOST_LEVELS = 1_000;

/** Freezes a value of plain data with all that is in it, and returns it. Throws RangeError if it is nested too deep. */
export function deepFreeze<T>(value: T, levels = MOST_LEVELS): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (levels === 0) throw new RangeError(`it is nested more than ${MOST_LEVELS} levels deep`);
  for (const key in value) deepFreeze(value[key], levels - 1);
  return Object.freeze(value);
}

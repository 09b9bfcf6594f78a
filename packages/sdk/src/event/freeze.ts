/** A mutable copy of plain data; other objects, such as a date or a set, are not copied. */
export function thawed<T>(value: T): T {
  if (Array.isArray(value)) return value.map(thawed) as T;
  if (typeof value !== 'object' || value === null || !PLAIN.has(Object.getPrototypeOf(value))) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, thawed(part)])) as T;
}
const PLAIN: ReadonlySet<unknown> = new Set([Object.prototype, null]);

/** Twice the nesting of our own events: writing takes more stack than reading. */
const MOST_LEVELS = 1_000;

/** Freezes plain data recursively and returns it. Throws RangeError if it is nested too deeply. */
export function deepFreeze<T>(value: T, levels = MOST_LEVELS): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (levels === 0) throw new RangeError(`it is nested more than ${MOST_LEVELS} levels deep`);
  for (const key in value) deepFreeze(value[key], levels - 1);
  return Object.freeze(value);
}

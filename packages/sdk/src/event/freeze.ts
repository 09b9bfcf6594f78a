/** A copy of plain data that may be changed; what is none (a date, a set) is the same. */
export function thawed<T>(value: T): T {
  if (Array.isArray(value)) return value.map(thawed) as T;
  if (typeof value !== 'object' || value === null || !PLAIN.has(Object.getPrototypeOf(value))) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, thawed(part)])) as T;
}
const PLAIN: ReadonlySet<unknown> = new Set([Object.prototype, null]);

/** Freezes a value of plain data with all that is in it, and returns it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const key in value) deepFreeze(value[key]);
  return Object.freeze(value);
}

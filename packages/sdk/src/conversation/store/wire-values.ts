/** Reading the values of a stored file: each has its type, or is refused. */

export type Wire = { readonly [key: string]: unknown };

/** Throws TypeError that names the value. */
export function record(value: unknown, what: string): Wire {
  if (!isRecord(value)) throw new TypeError(`${what} is not an object`);
  return value;
}

export function isRecord(value: unknown): value is Wire {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Throws TypeError that names the value. */
export function string(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new TypeError(`${what} is not a string`);
  return value;
}

export function optionalString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

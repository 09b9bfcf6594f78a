import { UsageError } from '../usage-error.ts';

export type Table = { readonly [key: string]: unknown };

/** TOML's dates are objects too, but not tables. */
export function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Throws UsageError. */
export function optionalText(value: unknown, place: string): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value === '') throw new UsageError(`${place} must be text in quotes`);
  return value;
}

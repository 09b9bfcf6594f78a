/** The values of flags, checked. Each throws UsageError that names the flag. */

import { UsageError } from '../usage-error.ts';
import type { ParsedFlags } from './flags.ts';

export function nonEmpty({ values }: ParsedFlags, name: string): string | undefined {
  const value = values.get(name);
  if (value === '') throw new UsageError(`--${name} is empty`);
  return value === true ? undefined : value;
}

export function wholeNumber(parsed: ParsedFlags, name: string, least: number): number | undefined {
  const value = nonEmpty(parsed, name);
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(number) || number < least) {
    throw new UsageError(`--${name} is a whole number from ${least} on, not "${value}"`);
  }
  return number;
}

export function amount(parsed: ParsedFlags, name: string): number | undefined {
  const value = nonEmpty(parsed, name);
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!(number > 0) || !Number.isFinite(number)) {
    throw new UsageError(`--${name} is an amount in US dollars above 0, not "${value}"`);
  }
  return number;
}

const UNITS: { readonly [unit: string]: number } = { s: 1_000, m: 60_000, h: 3_600_000 };

/** `90`, `90s`, `15m`, `2h`. */
export function duration(parsed: ParsedFlags, name: string): number | undefined {
  const value = nonEmpty(parsed, name);
  if (value === undefined) return undefined;
  const [, digits = '', unit = 's'] = /^(\d+(?:\.\d+)?)([smh])?$/.exec(value) ?? [];
  const ms = Number(digits) * (UNITS[unit] ?? 0);
  if (!(ms > 0)) throw new UsageError(`--${name} is a time such as 90s, 15m or 2h, not "${value}"`);
  return ms;
}

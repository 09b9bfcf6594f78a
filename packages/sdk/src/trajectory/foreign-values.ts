/** Reads values of foreign files that should be texts or objects. */

import { isRecord } from '../value/is-record.ts';
import type { Json } from './json-text.ts';

export function words(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** The object that is written as JSON; undefined if the text is anything else. */
export function objectIn(source: unknown): Json | undefined {
  if (typeof source !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(source);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined; // models and servers may write anything
  }
}

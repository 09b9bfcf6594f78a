import { stripTypeScriptTypes } from 'node:module';

/** The source as JavaScript, with spaces where types were, so that every offset stays. */
export function withoutTypes(source: string): string {
  return stripTypeScriptTypes(source, { mode: 'strip' });
}

/** A part of the source without types, by its offsets, and what replaces it. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

export function apply(code: string, { start, end, replacement }: Replacement): string {
  return code.slice(0, start) + replacement + code.slice(end);
}

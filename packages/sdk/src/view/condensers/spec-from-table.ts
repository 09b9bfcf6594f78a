/** `[condenser]` of a config file, or `condenser` in the head of an agent, with V0's names. */

import { nearest } from '../../value/nearest.ts';
import { ownValue } from '../../value/own-value.ts';
import {
  CONDENSER_NUMBERS,
  CONDENSER_TYPES,
  type CondenserSpec,
  type CondenserType,
  createCondenser,
  fileName,
} from './spec.ts';

/** Members by their names in files. */
const NUMBERS: { readonly [key: string]: string } = Object.fromEntries(
  CONDENSER_NUMBERS.map((member) => [fileName(member), member]),
);

/** Undefined if it names no type. Throws TypeError that begins with the place. */
export function condenserSpec(
  section: { readonly [key: string]: unknown },
  place: string,
): CondenserSpec | undefined {
  const spec = specIn(section, place);
  try {
    if (spec !== undefined) createCondenser(spec);
    return spec;
  } catch (error) {
    throw new TypeError(`${place} ${(error as Error).message}`);
  }
}

function specIn(section: { readonly [key: string]: unknown }, place: string): CondenserSpec | undefined {
  const { type, condensers, llm_config: _, ...rest } = section;
  if (type === undefined) return undefined;
  const known = CONDENSER_TYPES.find((each) => each === type);
  if (known === undefined) throw new TypeError(`${place} type ${unknownType(type)}`);
  const numbers = Object.entries(rest).map(([key, value]) => [
    field(key, place),
    number(value, `${place} ${key}`),
  ]);
  return {
    type: known,
    ...Object.fromEntries(numbers),
    ...nested(known, condensers, place),
  } as CondenserSpec;
}

function nested(
  type: CondenserType,
  condensers: unknown,
  place: string,
): { readonly condensers?: CondenserSpec[] } {
  if (type !== 'pipeline') return {};
  if (!Array.isArray(condensers))
    throw new TypeError(`${place} condensers must be a list of tables, each with a type`);
  return {
    condensers: condensers.map((each: unknown, i) => {
      const spec = specIn({ ...(each as object) }, `${place} condensers[${i}]`);
      if (spec === undefined) throw new TypeError(`${place} condensers[${i}] has no type`);
      return spec;
    }),
  };
}

function field(key: string, place: string): string {
  const known = ownValue(NUMBERS, key);
  if (known !== undefined) return known;
  const near = nearest(key, Object.keys(NUMBERS));
  throw new TypeError(
    `${place}: unknown key "${key}"${near === undefined ? '' : `; did you mean "${near}"?`}`,
  );
}

function number(value: unknown, place: string): number {
  if (typeof value !== 'number' || !(value >= 0)) throw new TypeError(`${place} must be a number`);
  return value;
}

function unknownType(type: unknown): string {
  return `must be one of ${CONDENSER_TYPES.join(', ')}, not ${typeof type === 'string' ? `"${type}"` : typeof type}`;
}

import type { Condenser } from './condenser.ts';

/** A kind of condenser: what a specification may say about it, and how one is made. */
export interface CondenserKind<Spec> {
  /** Members that are whole numbers, each with its minimum. */
  readonly sizes?: { readonly [member: string]: number };
  /** Members that are fractions, from 0 to 1. */
  readonly parts?: readonly string[];
  /** Throws RangeError for sizes that contradict each other. `make` creates the condensers that this one consists of. */
  create(spec: Spec, make: MakeCondenser): Condenser;
}

/** Makes a condenser from its specification. */
export type MakeCondenser = (spec: { readonly type: string }) => Condenser;

/** A kind of condenser, typed by its specification. */
export function defineCondenser<Spec extends { readonly type: string }>(
  kind: CondenserKind<Spec>,
): CondenserKind<Spec> {
  return kind;
}

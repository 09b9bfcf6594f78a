/** Condensers as plain data, as in an agent's specification and in `[condenser]` of a config file. The names are V0's. */
import { ownValue } from '../../value/own-value.ts';
import { amortized } from './amortized.ts';
import { attention } from './attention.ts';
import type { Condenser } from './condenser.ts';
import type { CondenserKind } from './condenser-kind.ts';
import { browserOutputMasking, discardAll, observationMasking, omitOutputs } from './masking.ts';
import { noop } from './noop.ts';
import { pipeline } from './pipeline.ts';
import { recent } from './recent.ts';
import { structured } from './structured.ts';
import { summarizing } from './summarizing.ts';
import { conversationWindow } from './window.ts';

/** Every kind of condenser except `pipeline`, by the `type` that names it. */
const SINGLE = {
  noop,
  recent,
  observation_masking: observationMasking,
  omit_outputs: omitOutputs,
  discard_all: discardAll,
  browser_output_masking: browserOutputMasking,
  amortized,
  llm: summarizing,
  llm_attention: attention,
  structured,
  conversation_window: conversationWindow,
};
const CONDENSERS = { ...SINGLE, pipeline };

/** One condenser after another, until one of them makes a condensation. */
export interface PipelineSpec {
  readonly type: 'pipeline';
  readonly condensers: readonly CondenserSpec[];
}

/** The name of a kind of condenser. */
export type CondenserType = keyof typeof CONDENSERS;

/** A condenser as plain data; `type` names its kind. */
export type CondenserSpec = Parameters<(typeof SINGLE)[keyof typeof SINGLE]['create']>[0] | PipelineSpec;

/** The names of all kinds of condensers. */
export const CONDENSER_TYPES = Object.keys(CONDENSERS) as readonly CondenserType[];

/** The condenser of an agent that names none: a summary when the window is nearly full, or when it has overflowed. */
export const DEFAULT_CONDENSER: CondenserSpec = { type: 'llm' };

const KINDS: { readonly [type: string]: CondenserKind<never> } = CONDENSERS;
const SIZES: { readonly [member: string]: number } = Object.assign(
  {},
  ...Object.values(KINDS).map(({ sizes }) => sizes),
);
const PARTS: readonly string[] = Object.values(KINDS).flatMap(({ parts = [] }) => parts);

/** The members of specifications that are numbers, in camel case. */
export const CONDENSER_NUMBERS: readonly string[] = [...new Set([...Object.keys(SIZES), ...PARTS])];

/** Creates a condenser. Throws RangeError for an unknown type and for impossible sizes. */
export function createCondenser(spec: CondenserSpec): Condenser {
  const kind = ownValue(KINDS, spec.type);
  checkNumbers(spec);
  if (kind === undefined)
    throw new RangeError(`there is no condenser "${spec.type}"; there are: ${CONDENSER_TYPES.join(', ')}`);
  return kind.create(spec as never, (each) => createCondenser(each as CondenserSpec));
}

function checkNumbers({ type, ...members }: CondenserSpec): void {
  for (const [member, value] of Object.entries<unknown>(members)) {
    const least = ownValue(SIZES, member);
    if (least !== undefined && !(Number.isInteger(value) && Number(value) >= least))
      throw new RangeError(`${type}: ${fileName(member)} must be a whole number from ${least} on`);
    if (PARTS.includes(member) && !(Number(value) >= 0 && Number(value) <= 1))
      throw new RangeError(`${type}: ${fileName(member)} must be a part, from 0 to 1`);
  }
}

/** The name of a member in files: `max_size` for `maxSize`. */
export function fileName(member: string): string {
  return member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

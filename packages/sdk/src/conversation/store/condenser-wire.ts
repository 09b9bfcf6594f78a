/**
 * Condensers as the reference stores them in `agent.condenser`: `LLMSummarizingCondenser`, `PipelineCondenser` and `NoOpCondenser`. Others
 * have no form there. Our own specification is stored as well, since it has members that the reference lacks.
 */
import { isDeepStrictEqual } from 'node:util';
import type { LlmConfig } from '../../llm/config/llm-config.ts';
import { defined } from '../../value/defined.ts';
import { type CondenserSpec, createCondenser, DEFAULT_CONDENSER } from '../../view/condensers/spec.ts';
import type { SummarizingSpec } from '../../view/condensers/summarizing.ts';
import { modelToWire } from './model-wire.ts';
import { isRecord, type Wire } from './wire-values.ts';

const SUMMARIZING = 'LLMSummarizingCondenser';
/** The reference's defaults. */
const DEFAULTS = { maxSize: 240, keepFirst: 2, minimumProgress: 0.1 } as const;
/** Ours, where it differs. */
const OUR_KEEP_FIRST = 4;

/**
 * What is written to `agent.condenser`; undefined if what stands there stays: for a condenser that the reference does not have, and for an
 * agent that names none in a folder whose condenser is not our default.
 */
export function condenserToWire(
  spec: CondenserSpec | undefined,
  model: LlmConfig,
  before: Wire | undefined,
): Wire | undefined {
  const stored = before?.['condenser'];
  const isOurDefault = before === undefined || isSame(specOf(stored), toldSpec(DEFAULT_CONDENSER));
  const written = spec ?? (isOurDefault ? DEFAULT_CONDENSER : undefined);
  return written === undefined ? undefined : wireOf(written, model, isRecord(stored) ? stored : undefined);
}

/** The condenser of a stored agent. `own` is our specification beside it, which holds unless the reference's form says otherwise. */
export function condenserFromWire(wire: unknown, own: CondenserSpec | undefined): CondenserSpec | undefined {
  const told = toldSpec(own ?? DEFAULT_CONDENSER);
  const stored = specOf(wire);
  return stored === undefined || told === undefined || isSame(stored, told) ? own : stored;
}

function wireOf(spec: CondenserSpec, model: LlmConfig, before: Wire | undefined): Wire | undefined {
  switch (spec.type) {
    case 'noop':
      return { kind: 'NoOpCondenser' };
    case 'llm': {
      const stored = before?.['kind'] === SUMMARIZING ? before : {};
      const llm = modelToWire({ ...model, usageId: 'condenser' }, 'condenser', stored['llm']);
      return { ...stored, llm, ...sizesOf(spec), kind: SUMMARIZING };
    }
    case 'pipeline': {
      const condensers = spec.condensers.map((each) => wireOf(each, model, undefined));
      return condensers.includes(undefined) ? undefined : { condensers, kind: 'PipelineCondenser' };
    }
    default:
      return undefined;
  }
}

/** Within the bounds that the reference checks: outside of them it would refuse the whole folder. */
function sizesOf({ maxSize, maxTokens, keepFirst = OUR_KEEP_FIRST, minimumProgress }: SummarizingSpec): Wire {
  const least = 2 * (keepFirst + 2);
  const progress = minimumProgress === 0 || minimumProgress === 1 ? undefined : minimumProgress;
  return defined({
    max_size: maxSize ?? (least > DEFAULTS.maxSize ? least : undefined),
    max_tokens: maxTokens,
    keep_first: keepFirst,
    minimum_progress: progress,
  });
}

/** What the reference's form says; undefined if there is none, or none that we have. */
function specOf(wire: unknown): CondenserSpec | undefined {
  try {
    const spec = isRecord(wire) ? unchecked(wire) : undefined;
    if (spec !== undefined) createCondenser(spec);
    return spec;
  } catch {
    return undefined; // it stays in the file for the reference
  }
}

function unchecked(wire: Wire): CondenserSpec | undefined {
  switch (wire['kind']) {
    case 'NoOpCondenser':
      return { type: 'noop' };
    case SUMMARIZING:
      return {
        type: 'llm',
        maxSize: number(wire['max_size']) ?? DEFAULTS.maxSize,
        keepFirst: number(wire['keep_first']) ?? DEFAULTS.keepFirst,
        minimumProgress: number(wire['minimum_progress']) ?? DEFAULTS.minimumProgress,
        ...defined({ maxTokens: number(wire['max_tokens']) }),
      };
    case 'PipelineCondenser': {
      const parts = Array.isArray(wire['condensers']) ? wire['condensers'].map(specOf) : [];
      const condensers = parts.filter((each) => each !== undefined);
      return condensers.length === parts.length ? { type: 'pipeline', condensers } : undefined;
    }
    default:
      return undefined;
  }
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** What remains of our specification in the reference's form; undefined if nothing does. */
function toldSpec(spec: CondenserSpec): CondenserSpec | undefined {
  return specOf(wireOf(spec, { model: '' }, undefined));
}

function isSame(one: CondenserSpec | undefined, other: CondenserSpec | undefined): boolean {
  return one !== undefined && isDeepStrictEqual(one, other);
}

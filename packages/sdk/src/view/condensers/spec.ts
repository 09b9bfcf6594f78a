/** Condensers as plain data: what an agent's specification and `[condenser]` of a config file say. Names: V0's. */
import type { View } from '../view.ts';
import { type Condenser, type CondenserContext, KEEP } from './condenser.ts';
import { pipeline } from './pipeline.ts';

export type CondenserSpec =
  | { readonly type: 'noop' }
  /** The first and the last events, the rest is not shown. */
  | { readonly type: 'recent'; readonly keepFirst?: number; readonly maxEvents?: number }
  /** Results of tools that are older than so many events read `<MASKED>`. */
  | { readonly type: 'observation_masking'; readonly attentionWindow?: number }
  /** Results of tools that are older than so many turns of the model read `omitted`. */
  | { readonly type: 'omit_outputs'; readonly turns?: number }
  /** The same, of all turns but the last. */
  | { readonly type: 'discard_all' }
  /** Pages that a browser showed, but for the newest. */
  | { readonly type: 'browser_output_masking'; readonly attentionWindow?: number }
  /** Forgets the middle, without a word. */
  | { readonly type: 'amortized'; readonly maxSize?: number; readonly keepFirst?: number }
  /** Puts a summary in the place of the middle. */
  | (Rolling & { readonly type: 'llm' })
  /** Asks the model which events matter. */
  | (Rolling & { readonly type: 'llm_attention' })
  /** Puts a form, filled in, in the place of the middle. */
  | (Rolling & { readonly type: 'structured' })
  /** When it is asked to: the newest half. */
  | { readonly type: 'conversation_window' }
  /** One after another, until one of them makes a condensation. */
  | { readonly type: 'pipeline'; readonly condensers: readonly CondenserSpec[] };

/** When a history is cut, and what of it stays. */
export interface Rolling {
  /** Events, above which it is cut to half of it; default: no limit. */
  readonly maxSize?: number;
  /** Tokens, above which it is cut to half of it; default: four fifths of the model's window. */
  readonly maxTokens?: number;
  /** Events at the beginning that stay; default 4. */
  readonly keepFirst?: number;
  /** Of what is there, the least part that must go; default 0.1. */
  readonly minimumProgress?: number;
  /** Characters that a summary is shown of one event; default 10,000. */
  readonly maxEventLength?: number;
}

export type CondenserType = CondenserSpec['type'];

export const CONDENSER_TYPES: readonly CondenserType[] = [
  'noop',
  'recent',
  'observation_masking',
  'omit_outputs',
  'discard_all',
  'browser_output_masking',
  'amortized',
  'llm',
  'llm_attention',
  'structured',
  'conversation_window',
  'pipeline',
];

/** What an agent has that says nothing else: a summary when the window is nearly full, or when it has overflowed. */
export const DEFAULT_CONDENSER: CondenserSpec = { type: 'llm' };

/** What a condenser that cuts goes by; see `rolling.ts`. */
export const ROLLING_DEFAULTS = { keepFirst: 4, minimumProgress: 0.1, full: 0.8 } as const;

/** Throws RangeError for a type that there is not, and for sizes that cannot be kept. What does the work is loaded when there is work. */
export function createCondenser(spec: CondenserSpec): Condenser {
  checkSizes(spec);
  switch (spec.type) {
    case 'noop':
      return { handlesRequests: false, condense: async () => KEEP };
    case 'recent': {
      const { keepFirst = 1, maxEvents = 100 } = spec;
      if (!(keepFirst >= 0 && keepFirst < maxEvents))
        throw new RangeError('recent: keep_first must be below max_events');
      return lazily(false, async () => (await import('./recent.ts')).recent({ keepFirst, maxEvents }));
    }
    case 'observation_masking':
    case 'omit_outputs':
    case 'discard_all':
    case 'browser_output_masking':
      return lazily(false, async () => (await import('./masking.ts')).masking(spec));
    case 'amortized': {
      const rolling = { maxSize: 100, keepFirst: 1, ...spec };
      return whenDue(rolling, async () => (await import('./amortized.ts')).amortized(rolling));
    }
    case 'llm':
      return whenDue(spec, async () => (await import('./summarizing.ts')).summarizing(spec));
    case 'llm_attention': {
      const rolling = { maxSize: 100, ...spec };
      return whenDue(rolling, async () => (await import('./attention.ts')).attention(rolling));
    }
    case 'structured':
      return whenDue(spec, async () => (await import('./structured.ts')).structured(spec));
    case 'conversation_window':
      return lazily(true, async () => (await import('./window.ts')).conversationWindow);
    case 'pipeline':
      return pipeline(spec.condensers.map(createCondenser));
    default: {
      const { type } = spec as { readonly type: unknown }; // of a file
      throw new RangeError(`there is no condenser "${type}"; there are: ${CONDENSER_TYPES.join(', ')}`);
    }
  }
}

/** The names are those of files. */
const SIZES: { readonly [field: string]: readonly [name: string, least: number] } = {
  maxSize: ['max_size', 1],
  maxTokens: ['max_tokens', 1],
  keepFirst: ['keep_first', 0],
  maxEvents: ['max_events', 1],
  attentionWindow: ['attention_window', 1],
  turns: ['turns', 1],
  maxEventLength: ['max_event_length', 2],
};

function checkSizes({ type, ...sizes }: CondenserSpec): void {
  for (const [field, value] of Object.entries(sizes)) {
    const [name, least = 0] = SIZES[field] ?? [];
    if (name !== undefined && !(Number.isInteger(value) && value >= least))
      throw new RangeError(`${type}: ${name} must be a whole number from ${least} on`);
    if (field === 'minimumProgress' && !(value >= 0 && value <= 1))
      throw new RangeError(`${type}: minimum_progress must be a part, from 0 to 1`);
  }
}

function lazily(handlesRequests: boolean, load: () => Promise<Condenser>): Condenser {
  let loaded: Promise<Condenser> | undefined;
  return {
    handlesRequests,
    condense: async (view, context) => {
      loaded ??= load();
      return await (await loaded).condense(view, context);
    },
  };
}

/** Nearly always there is nothing to do. */
function whenDue(spec: Rolling, load: () => Promise<Condenser>): Condenser {
  const { keepFirst = ROLLING_DEFAULTS.keepFirst, maxSize } = spec;
  if (keepFirst < 0 || (maxSize !== undefined && Math.floor(maxSize / 2) - keepFirst - 1 <= 0))
    throw new RangeError(
      `a condenser with keep_first ${keepFirst} needs a max_size of at least ${2 * (keepFirst + 2)}`,
    );
  const condenser = lazily(true, load);
  return {
    handlesRequests: true,
    condense: async (view, context) =>
      (await isDue(view, context, spec)) ? await condenser.condense(view, context) : KEEP,
  };
}

async function isDue(
  view: View,
  { tokens, contextWindow }: CondenserContext,
  spec: Rolling,
): Promise<boolean> {
  const { maxSize = Number.POSITIVE_INFINITY } = spec;
  if (view.condensationRequested || view.events.length > maxSize) return true;
  const limit = tokenLimit(spec, contextWindow);
  return (await tokens(limit)) > limit;
}

/** Tokens above which a history is cut. */
export function tokenLimit({ maxTokens }: Rolling, contextWindow: number | undefined): number {
  return (
    maxTokens ??
    (contextWindow === undefined ? Number.POSITIVE_INFINITY : contextWindow * ROLLING_DEFAULTS.full)
  );
}

/** Condensers as plain data: what an agent's specification and `[condenser]` of a config file say. Names: V0's. */
import type { Condenser } from './condenser.ts';

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

/** Throws RangeError for sizes that cannot be kept. */
export async function createCondenser(spec: CondenserSpec): Promise<Condenser> {
  switch (spec.type) {
    case 'noop':
      return (await import('./none.ts')).none;
    case 'recent':
      return (await import('./recent.ts')).recent(spec);
    case 'observation_masking':
    case 'omit_outputs':
    case 'discard_all':
    case 'browser_output_masking':
      return (await import('./masking.ts')).masking(spec);
    case 'amortized':
      return (await import('./amortized.ts')).amortized(spec);
    case 'llm':
      return (await import('./summarizing.ts')).summarizing(spec);
    case 'llm_attention':
      return (await import('./attention.ts')).attention(spec);
    case 'structured':
      return (await import('./structured.ts')).structured(spec);
    case 'conversation_window':
      return (await import('./window.ts')).conversationWindow;
    case 'pipeline': {
      const { pipeline } = await import('./pipeline.ts');
      return pipeline(await Promise.all(spec.condensers.map(createCondenser)));
    }
  }
}

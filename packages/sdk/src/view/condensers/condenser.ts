import type { Condensation, Observation } from '../../event/kinds.ts';
import type { Message } from '../../event/message.ts';
import type { LLM } from '../../llm/llm.ts';
import type { View } from '../view.ts';

/** Keeps a history within what a model can read. It never changes the view. */
export interface Condenser {
  /** Whether it can make room when a condensation is requested. */
  readonly handlesRequests: boolean;
  condense(view: View, context: CondenserContext): Promise<Condensed>;
}

/** What a condenser is given besides the view. */
export interface CondenserContext {
  /** The condenser's own model, opened when it is first needed. */
  readonly llm: () => Promise<LLM>;
  /** The tokens of the current prompt: an estimate, which is replaced by an exact count, if possible, where it cannot decide whether the prompt exceeds `limit`. */
  readonly tokens: (limit: number) => Promise<number>;
  /** The context window of the agent's model in tokens; undefined if it is unknown. */
  readonly contextWindow: number | undefined;
  /** The tool's placeholder for an old result of its kind; undefined if such results are always shown. */
  readonly hiddenWhenOld: (observation: Observation) => string | undefined;
  readonly signal: AbortSignal;
  /** Called with each problem that does not end the run. */
  readonly onNote: (text: string) => void;
}

/** The result of a condenser: the view as it is, other messages in its place, or a condensation to store. */
export type Condensed =
  /** The view as it is. */
  | { readonly kind: 'view' }
  /** These messages are sent instead of the view's; nothing is forgotten. */
  | { readonly kind: 'messages'; readonly messages: readonly Message[] }
  /** Is stored; the next step sees the shorter view. */
  | { readonly kind: 'condensation'; readonly condensation: CondensationDraft };

export type CondensationDraft = Pick<
  Condensation,
  'forgotten_event_ids' | 'summary' | 'summary_offset' | 'llm_response_id'
>;

/** The result of a condenser that changes nothing. */
export const KEEP: Condensed = { kind: 'view' };

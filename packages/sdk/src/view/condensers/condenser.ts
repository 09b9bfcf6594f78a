import type { Condensation, Observation } from '../../event/kinds.ts';
import type { Message } from '../../event/message.ts';
import type { LLM } from '../../llm/llm.ts';
import type { View } from '../view.ts';

/** Keeps a history within what a model can read. The view is only looked at. */
export interface Condenser {
  /** Whether it can make room when it is asked to. */
  readonly handlesRequests: boolean;
  condense(view: View, context: CondenserContext): Promise<Condensed>;
}

/** What a condenser is given besides the view. */
export interface CondenserContext {
  /** The condenser's own model; opened when it is first needed. */
  readonly llm: () => Promise<LLM>;
  /** What the prompt takes now: an estimate, but exact where it must tell on which side of `limit` that is, and can be. */
  readonly tokens: (limit: number) => Promise<number>;
  /** The window of the agent's model; undefined if nobody knows. */
  readonly contextWindow: number | undefined;
  /** What the tool shows in place of an old result of its kind; undefined: it is always shown. */
  readonly hiddenWhenOld: (observation: Observation) => string | undefined;
  readonly signal: AbortSignal;
  /** Told of what went wrong where the run can go on. */
  readonly onNote: (text: string) => void;
}

/** The result of a condenser: the view as it is, other messages in its place, or a condensation to store. */
export type Condensed =
  /** The view as it is. */
  | { readonly kind: 'view' }
  /** These messages in place of the view's; nothing is forgotten. */
  | { readonly kind: 'messages'; readonly messages: readonly Message[] }
  /** To be stored; the next step sees the shorter view. */
  | { readonly kind: 'condensation'; readonly condensation: CondensationDraft };

export type CondensationDraft = Pick<
  Condensation,
  'forgotten_event_ids' | 'summary' | 'summary_offset' | 'llm_response_id'
>;

/** The result of a condenser that changes nothing. */
export const KEEP: Condensed = { kind: 'view' };

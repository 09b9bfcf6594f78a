/**
 * A trajectory of OpenHands V0 (`save_trajectory_path`): a JSON list of actions and observations in their order.
 *
 * An event has `id` (a number), `timestamp`, `source`, `message`, `cause` (the id of the action that an observation answers),
 * `action` with `args`, or `observation` with `content` and `extras`. What the model was asked and answered stands in
 * `tool_call_metadata` of the actions, and of their observations.
 */
import type { Json } from '../json-text.ts';

export interface V0Event {
  readonly id: number;
  readonly timestamp: string;
  readonly source: 'agent' | 'user' | 'environment';
  /** For people. */
  readonly message?: string;
  readonly cause?: number;
  readonly action?: string;
  readonly observation?: string;
  readonly tool_call_metadata?: V0CallMetadata;
  readonly llm_metrics?: Json;
  readonly args?: Json;
  /** Seconds. */
  readonly timeout?: number;
  readonly content?: string;
  readonly extras?: Json;
  readonly success?: boolean;
}

/** An event that has no number yet. */
export type V0Draft = Omit<V0Event, 'id' | 'cause'>;

export interface V0CallMetadata {
  readonly function_name: string;
  readonly tool_call_id: string;
  readonly model_response: Json;
  readonly total_calls_in_response: number;
}

/** The beginning of a file editor's result that is an error. */
export const EDITOR_ERROR = 'ERROR:\n';

/** The agent of a delegation without `subagent_type`. */
export const DEFAULT_DELEGATE = 'general-purpose';

/** V0's numbers for the risk of an action. */
export const RISKS = { UNKNOWN: -1, LOW: 0, MEDIUM: 1, HIGH: 2 } as const;

/** Actions without a thought of their own. */
export const THOUGHTLESS: ReadonlySet<string> = new Set(['null', 'condensation_request']);

/** Actions without a risk of their own. */
export const RISKLESS: ReadonlySet<string> = new Set([
  'condensation_request',
  'think',
  'finish',
  'reject',
  'delegate',
  'task_tracking',
  'null',
]);

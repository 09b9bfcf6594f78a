/** Results of calls that have no observation, and what the model reads in them. */
import { AGENT_ACTION, type ErrorClassification } from '../event/classification.ts';
import type { Draft } from '../event/draft.ts';
import type { ActionEvent } from '../event/kinds.ts';

export const CALL_AFTER_FINISH = 'Not executed: an earlier call in the same turn ended the run.';
const CALL_INTERRUPTED =
  'The user interrupted this call before it returned a result. It may have had an effect: check before you repeat it.';

/** The reason of an abort when the time limit of a run is reached, as opposed to an interrupt by the user. */
export class TimeIsUpError extends Error {
  override readonly name = 'TimeIsUpError';
}

/** What the model reads about a call that an abort cut off. */
export function cutOff({ reason }: AbortSignal): string {
  return reason instanceof TimeIsUpError
    ? 'The time limit of the run was reached before this call returned a result. It may have had an effect: check before you repeat it.'
    : CALL_INTERRUPTED;
}

export function errorResult(
  call: Pick<ActionEvent, 'tool_name' | 'tool_call_id'>,
  error: string,
  classification: ErrorClassification = AGENT_ACTION,
): Draft {
  return {
    source: 'agent',
    tool_name: call.tool_name,
    tool_call_id: call.tool_call_id,
    error,
    classification,
    kind: 'AgentErrorEvent',
  };
}

/** The result of a call that the user or a hook refused. */
export function rejection(action: ActionEvent, reason: string, source: 'user' | 'hook'): Draft {
  return {
    source: 'environment',
    tool_name: action.tool_name,
    tool_call_id: action.tool_call_id,
    rejection_reason: reason,
    rejection_source: source,
    action_id: action.id,
    kind: 'UserRejectObservation',
  };
}

/** V0's results of calls as drafts of our events. */
import { AGENT_ACTION } from '../../event/classification.ts';
import type { Draft } from '../../event/draft.ts';
import type { ActionEvent, Observation } from '../../event/kinds.ts';
import type { Json } from '../json-text.ts';
import { observationFromV0 } from './observation-in.ts';

export function resultDraft(name: string, content: string, extras: Json, call: ActionEvent): Draft {
  const { tool_name, tool_call_id, id, action } = call;
  switch (name) {
    case 'error':
      return {
        source: 'agent',
        tool_name,
        tool_call_id,
        error: content,
        classification: AGENT_ACTION,
        kind: 'AgentErrorEvent',
      };
    case 'user_rejected':
      return {
        source: 'environment',
        tool_name,
        tool_call_id,
        rejection_reason: content,
        rejection_source: 'user',
        action_id: id,
        kind: 'UserRejectObservation',
      };
    default:
      return observationDraft(
        call,
        observationFromV0(name, content, extras, { toolName: tool_name, action }),
      );
  }
}

export function observationDraft(
  { tool_name, tool_call_id, id }: Pick<ActionEvent, 'tool_name' | 'tool_call_id' | 'id'>,
  observation: Observation,
): Draft {
  return {
    source: 'environment',
    tool_name,
    tool_call_id,
    observation,
    action_id: id,
    extended_content: [],
    kind: 'ObservationEvent',
  } as Draft;
}

import { errorResult } from '../../agent/results.ts';
import { textOf } from '../../event/content.ts';
import type { Draft } from '../../event/draft.ts';
import type { ToolSet } from '../../tool/tool-set.ts';
import type { View } from '../../view/view.ts';
import type { History } from '../state/history.ts';
import { statusUpdate } from '../state/state.ts';

const CUT =
  'The run was cut before the result of this call was stored. It may have had its effect, in whole or in part, or none: look before you do it again.';

/**
 * What a crash left open. Nothing is silently run twice: a call whose tool only reads stays open and is carried out
 * again; every other is answered with an error, so that the model looks for itself. Calls that wait for the user's word
 * were never begun, and go on waiting.
 */
export function recover({ state, view }: History, tools: ToolSet): readonly Draft[] {
  if (state.status === 'waiting_for_confirmation') return [];
  const cut = view
    .openActions()
    .filter((action) => action.action === undefined || !tools.get(action.tool_name)?.annotations.readOnlyHint)
    .map((action) => errorResult(action, CUT));
  return state.status === 'running' && hasEnded(view, tools) ? [...cut, statusUpdate('finished')] : cut;
}

/** Whether what ends a run is stored, and only the word that it has ended is missing. */
function hasEnded(view: View, tools: ToolSet): boolean {
  const last = view.events.findLast((event) => event.kind !== 'AgentErrorEvent');
  if (last?.kind === 'ObservationEvent')
    return tools.get(last.tool_name)?.endsRun === true && !last.observation.is_error;
  return (
    last?.kind === 'MessageEvent' && last.source === 'agent' && textOf(last.llm_message.content).trim() !== ''
  );
}

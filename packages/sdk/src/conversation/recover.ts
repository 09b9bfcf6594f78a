import { errorResult } from '../agent/execute.ts';
import type { Draft } from '../event/draft.ts';
import type { ToolSet } from '../tool/tool-set.ts';
import type { History } from './history.ts';

const CUT =
  'The run was cut before the result of this call was stored. It may have had its effect, in whole or in part, or none: look before you do it again.';

/**
 * What a crash left open. Nothing is silently run twice: a call whose tool only reads stays open and is carried out
 * again; every other is answered with an error, so that the model looks for itself. Calls that wait for the user's word
 * were never begun, and go on waiting.
 */
export function recover({ state, view }: History, tools: ToolSet): readonly Draft[] {
  if (state.status === 'waiting_for_confirmation') return [];
  return view
    .openActions()
    .filter((action) => action.action === undefined || !tools.get(action.tool_name)?.annotations.readOnlyHint)
    .map((action) => errorResult(action, CUT));
}

import { errorResult } from '../../agent/results.ts';
import { textOf } from '../../event/content.ts';
import type { Draft } from '../../event/draft.ts';
import { ROOT } from '../../event/identity.ts';
import type { ToolSet } from '../../tool/tool-set.ts';
import type { View } from '../../view/view.ts';
import type { Leftovers } from '../../workspace/workspace.ts';
import type { History } from '../state/history.ts';
import { STATE_KEYS, stateUpdate, statusUpdate } from '../state/state.ts';

const CUT =
  'The process ended before the result of this call was stored. The call may have taken effect completely, partly, or not at all: check before you repeat it.';
const MAY_BE_RUNNING = 'Programs that the call started may still be running: look for them, and end them.';

/**
 * Resolves the calls that a crash left open. Nothing is silently run twice: a call of a read-only tool stays open and is executed again; any
 * other gets an error result, so that the model checks for itself. Calls that wait for consent were never started, and keep waiting.
 * `leftovers` is what the run that was killed had left running; null if none was killed.
 */
export function recover(
  { state, view }: History,
  tools: ToolSet,
  leftovers: Leftovers | null = null,
): readonly Draft[] {
  if (state.status === 'waiting_for_confirmation') return [];
  const cut = view
    .openActions()
    .filter((action) => action.action === undefined || !tools.get(action.tool_name)?.annotations.readOnlyHint)
    .map((action) => errorResult(action, [CUT, ...aboutPrograms(leftovers)].join(' ')));
  return state.status === 'running' && hasEnded(view, tools) ? [...cut, statusUpdate('finished')] : cut;
}

function aboutPrograms(leftovers: Leftovers | null): readonly string[] {
  if (leftovers === null) return [];
  const { ended, isSure } = leftovers;
  return [...(ended > 0 ? [endedText(ended)] : []), ...(isSure ? [] : [MAY_BE_RUNNING])];
}

/** For the model and for people. */
export function endedText(count: number): string {
  const what = count === 1 ? '1 program was' : `${count} programs were`;
  return `${what} still running when the conversation was resumed, and ${count === 1 ? 'was' : 'were'} ended.`;
}

/** Records in the log that another program moved HEAD. */
export function movedHead({ isMoved, state }: History): readonly Draft[] {
  return isMoved ? [stateUpdate(STATE_KEYS.leaf, state.leafId ?? ROOT)] : [];
}

/** Whether the events that end the run are stored, and only its status is missing. */
function hasEnded(view: View, tools: ToolSet): boolean {
  const last = view.events.findLast((event) => event.kind !== 'AgentErrorEvent');
  if (last?.kind === 'ObservationEvent')
    return tools.get(last.tool_name)?.endsRun === true && !last.observation.is_error;
  return (
    last?.kind === 'MessageEvent' && last.source === 'agent' && textOf(last.llm_message.content).trim() !== ''
  );
}

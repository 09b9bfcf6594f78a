import type { CarryOutDeps } from '../../agent/carry-out.ts';
import { message } from '../../agent/message.ts';
import { SENDERS } from '../../agent/sender.ts';
import type { PerformDeps } from '../run/perform.ts';
import type { Onlookers } from './hooks.ts';

/** Calls the onlookers during a run. */
export function duringRun(
  onlookers: Onlookers,
  signal: AbortSignal,
): Pick<CarryOutDeps, 'beforeTool' | 'afterTool'> & Pick<PerformDeps, 'onStop'> {
  return {
    beforeTool: ({ id, tool_name: toolName, action }) =>
      onlookers.on('PreToolUse', { toolName, toolInput: action, actionId: id }, signal),
    afterTool: async ({ id, tool_name: toolName, action }, result) => {
      const toolResponse = result.kind === 'ObservationEvent' ? result.observation : result;
      const occasion = { toolName, toolInput: action, toolResponse, actionId: id };
      const { events, additionalContext } = await onlookers.on('PostToolUse', occasion, signal);
      return [
        ...events,
        ...additionalContext.map((words) => message('environment', words, { sender: SENDERS.hook })),
      ];
    },
    onStop: async () => {
      const { events, refusal, additionalContext } = await onlookers.on(
        'Stop',
        { metadata: { reason: 'finished' } },
        signal,
      );
      return { events, ...(refusal === undefined ? {} : { feedback: additionalContext[0] ?? refusal }) };
    },
  };
}

import type { Agent } from '../agent/agent.ts';
import { statusUpdate } from '../conversation/state/state.ts';
import type { EventId } from '../event/identity.ts';
import type { Event } from '../event/kinds.ts';
import { stamped } from './make-events.ts';

/** A history that was read from a file. */
export interface Imported {
  readonly events: readonly Event[];
  /** The position of an event in the file, such as `element 3 (line 40)`; empty for added events. */
  readonly where: (id: EventId) => string;
  /** The model that answered, if the file names it. */
  readonly model?: string;
  /** The name of the agent, if the file gives it. */
  readonly agentName?: string;
  /** The agent's specification, if the file has all of it. */
  readonly agent?: Agent;
}

/** Adds the status `finished` if the conversation ends like a finished one; other formats do not store it. */
export function withEnding(events: readonly Event[]): Event[] {
  const last = events.at(-1);
  const isFinished =
    (last?.kind === 'ObservationEvent' &&
      last.tool_name === 'finish' &&
      last.observation.is_error !== true) ||
    (last?.kind === 'MessageEvent' && last.source === 'agent');
  return isFinished ? [...events, stamped(statusUpdate('finished'), last.timestamp)] : [...events];
}

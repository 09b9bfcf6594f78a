import type { Agent } from '../agent/agent.ts';
import { statusUpdate } from '../conversation/state/state.ts';
import type { EventId } from '../event/identity.ts';
import type { Event } from '../event/kinds.ts';
import { stamped } from './make-events.ts';

/** A history that was read from a file. */
export interface Imported {
  readonly events: readonly Event[];
  /** Where in the file an event stands, such as `element 3 (line 40)`; empty for what was added. */
  readonly where: (id: EventId) => string;
  /** The model that answered, if the file tells. */
  readonly model?: string;
  /** The agent whose history it is, if all of it is told. */
  readonly agent?: Agent;
}

/** Says that the conversation is finished, if it ends as a finished one does; files of others have no word for it. */
export function withEnding(events: readonly Event[]): Event[] {
  const last = events.at(-1);
  const isFinished =
    (last?.kind === 'ObservationEvent' &&
      last.tool_name === 'finish' &&
      last.observation.is_error !== true) ||
    (last?.kind === 'MessageEvent' && last.source === 'agent');
  return isFinished ? [...events, stamped(statusUpdate('finished'), last.timestamp)] : [...events];
}

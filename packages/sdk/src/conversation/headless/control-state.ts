/**
 * The control states of V0 (`openhands/core/schema/agent.py`), mapped from our statuses. `loading`, `user_confirmed`, `user_rejected` and
 * `rate_limited` never occur: opening is not a state, a decision takes effect at once, and the model layer handles rate limits.
 */
import type { Event } from '../../event/kinds.ts';
import type { Status } from '../state/status.ts';

export const CONTROL_STATES = [
  'loading',
  'running',
  'awaiting_user_input',
  'paused',
  'stopped',
  'finished',
  'rejected',
  'error',
  'awaiting_user_confirmation',
  'user_confirmed',
  'user_rejected',
  'rate_limited',
] as const;
/** The state of a run, as V0 names it. */
export type ControlState = (typeof CONTROL_STATES)[number];

/**
 * Maps a status. The last prompt event tells some states apart: V0's `finished` means that the agent called `finish`. In V0, being stuck
 * is an error.
 */
export function controlStateOf(status: Status, last?: Event): ControlState {
  switch (status) {
    case 'idle':
      return last?.kind === 'MessageEvent' && last.source === 'user' ? 'running' : 'awaiting_user_input';
    case 'running':
      return 'running';
    case 'paused':
      return 'paused';
    case 'waiting_for_confirmation':
      return 'awaiting_user_confirmation';
    case 'finished':
      return last?.kind === 'MessageEvent' ? 'awaiting_user_input' : 'finished';
    case 'error':
    case 'stuck':
      return 'error';
    case 'deleting':
      return 'stopped';
  }
}

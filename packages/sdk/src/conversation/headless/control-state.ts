/**
 * The control states of V0 (`openhands/core/schema/agent.py`), as a mapping from ours. `loading`, `user_confirmed`,
 * `user_rejected` and `rate_limited` are never ours: a conversation is open or it is not, an answer leads on at once, and a
 * rate limit is waited for inside of the model layer.
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
/** The state of a run in V0's words. */
export type ControlState = (typeof CONTROL_STATES)[number];

/**
 * Of a status, and of the last prompt event where it tells two states apart: V0 calls it `finished` only if the agent called
 * `finish`, and stuck is an error there, which its reason tells.
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

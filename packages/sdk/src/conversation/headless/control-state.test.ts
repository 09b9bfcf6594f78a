import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countingClock } from '../../../test-support/random-history.ts';
import { message } from '../../agent/message.ts';
import { type Draft, eventOf } from '../../event/draft.ts';
import { STATUSES } from '../state/status.ts';
import { CONTROL_STATES, controlStateOf } from './control-state.ts';

const clock = countingClock();
const user = eventOf(message('user', 'go'), null, clock);
const agent = eventOf({ ...message('user', 'done'), source: 'agent' } as Draft, null, clock);
const pause = eventOf({ source: 'user', kind: 'PauseEvent' }, null, clock);

test('each status has a control state of V0; the last event tells idle and finished apart', () => {
  const states = [undefined, user, agent, pause].map((last) =>
    Object.fromEntries(STATUSES.map((status) => [status, controlStateOf(status, last)])),
  );
  const plain = {
    idle: 'awaiting_user_input',
    running: 'running',
    paused: 'paused',
    waiting_for_confirmation: 'awaiting_user_confirmation',
    finished: 'finished',
    error: 'error',
    stuck: 'error',
    deleting: 'stopped',
  };
  assert.deepEqual(states, [
    plain,
    { ...plain, idle: 'running', finished: 'awaiting_user_input' },
    { ...plain, finished: 'awaiting_user_input' },
    plain,
  ]);
});

test('the control states are those of V0, in its order', () => {
  assert.equal(
    CONTROL_STATES.join(' '),
    'loading running awaiting_user_input paused stopped finished rejected error awaiting_user_confirmation user_confirmed user_rejected rate_limited',
  );
});

/** The same as decide.test.ts, with all that a decision says. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callDraft, errorDraft } from '../../../test-support/random-history.ts';
import {
  asked,
  call,
  checked,
  repeated,
  runOf,
  situation,
  spent,
  spoke,
  task,
  viewOf,
} from '../../../test-support/situations.ts';
import type { View } from '../../view/view.ts';
import { type Decision, decide, type Situation } from './decide.ts';
import type { Happening } from './run-state.ts';

const answered = (count: number) => repeated(count, (id) => errorDraft(id));
const open = (view: View) => view.openActions();
const two = viewOf(task, call, callDraft('call-2', 'response-1'));
const stuckAndOpen = viewOf(task, ...answered(4), call);
const LIMITS = { maxIterations: 20, stuckDetection: true, spent: () => null };

const decisions: readonly (readonly [string, Partial<Situation>, Decision])[] = [
  [
    'what the model is told of its tools are the words of the change, when no call is open',
    { toolChange: 'new: x' },
    { kind: 'tell', sender: 'longhand:tools-changed', words: 'new: x' },
  ],
  [
    'while calls are open they are carried out before the model is told',
    { toolChange: 'new: x', view: two },
    { kind: 'carry out', actions: open(two) },
  ],
  [
    'only the calls whose tools may want approval are checked',
    { view: two, mayNeedApproval: ({ id }) => id === 'event-2' },
    { kind: 'check', actions: open(two).slice(1) },
  ],
  [
    'all of them are checked again when the answer about one is missing',
    { view: two, mayNeedApproval: () => true, run: runOf(checked(false)) },
    { kind: 'check', actions: open(two) },
  ],
  [
    'one of two calls needs approval: the run waits',
    { view: two, mayNeedApproval: () => true, run: runOf(checked(true)) },
    { kind: 'end', outcome: { kind: 'waiting' } },
  ],
  [
    'whether the agent is stuck is judged without the calls that nobody has approved',
    { view: stuckAndOpen },
    { kind: 'carry out', actions: open(stuckAndOpen) },
  ],
  [
    'calls that were approved are not carried out by an agent that is stuck',
    { view: stuckAndOpen, approved: new Set(['event-9']) },
    { kind: 'end', outcome: { kind: 'stuck', detail: 'the same call of terminal has failed 4 times' } },
  ],
  [
    'a person who stops the run is the outcome',
    { stopped: { kind: 'paused' } },
    { kind: 'end', outcome: { kind: 'paused' } },
  ],
  [
    'what is spent is the outcome, even at the last step',
    { run: runOf(...asked(20)), limits: { ...LIMITS, spent: () => spent } },
    { kind: 'end', outcome: spent },
  ],
  [
    'the limit of steps is told with the steps',
    { run: runOf(...asked(21)) },
    {
      kind: 'end',
      outcome: {
        kind: 'limit',
        code: 'MaxIterationsReached',
        detail: 'The agent has taken 21 steps, which is the limit of one run.',
      },
    },
  ],
  [
    'a record says that the model is told: it is told although many turns are left',
    { limits: { ...LIMITS, tellsTurnsLeft: () => true } },
    {
      kind: 'tell',
      sender: 'longhand:turns-left',
      words:
        'You have 20 turns left. Bring your work into a usable state, then call finish and report what remains to be done.',
    },
  ],
  [
    'three condensations in a row may be followed by another',
    { run: runOf(...Array<Happening>(3).fill({ kind: 'condensed' })) },
    { kind: 'condense' },
  ],
  [
    'when condensing does not help, the whole view is sent',
    { run: runOf(...Array<Happening>(4).fill({ kind: 'condensed' })) },
    { kind: 'ask', messages: viewOf(task).messages() },
  ],
  ['a message on its way is waited for', { isMessageArriving: true }, { kind: 'wait' }],
];

for (const [name, more, expected] of decisions)
  test(name, () => assert.deepEqual(decide(situation(more)), expected));

test('what follows an ending is about that ending', () => {
  const run = runOf(spoke);
  const { ending } = run;
  assert.deepEqual(
    [
      decide(situation({ run, hasReplies: true })),
      decide(situation({ run, hasStopHooks: true })),
      decide(situation({ run, state: { leafId: 'leaf', lastUserMessageId: 'newer' } })),
    ],
    [
      { kind: 'reply', ending },
      { kind: 'consult', ending },
      { kind: 'continue', ending },
    ],
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorDraft, observationDraft } from '../../../test-support/random-history.ts';
import {
  always,
  asked,
  call,
  checked,
  finishes,
  PROMPT,
  repeated,
  runOf,
  situation,
  spent,
  spoke,
  task,
  viewOf,
} from '../../../test-support/situations.ts';
import type { Draft } from '../../event/draft.ts';
import { type Decision, decide, FEW_TURNS, type Situation } from './decide.ts';
import type { Happening } from './run-state.ts';

const table: readonly (readonly [string, Partial<Situation>, string])[] = [
  ['nothing is open: the condenser looks first', {}, 'condense'],
  ['the tools have changed: the model is told', { toolChange: 'new: x' }, 'tell longhand:tools-changed'],
  [
    'the condenser has left the history as it is: the model is asked',
    { run: runOf({ kind: 'prepared', at: 'leaf', messages: PROMPT }) },
    'ask',
  ],
  [
    'a message came since the condenser looked: it looks again',
    { run: runOf({ kind: 'prepared', at: 'before', messages: PROMPT }) },
    'condense',
  ],
  [
    'condensing did not help four times: the model is asked all the same',
    { run: runOf(...Array<Happening>(4).fill({ kind: 'condensed' })) },
    'ask',
  ],
  ['calls are open: they are carried out', { view: viewOf(task, call) }, 'carry out'],
  ['a message is on its way: it is waited for', { isMessageArriving: true }, 'wait'],
  [
    'a message is on its way, and calls are open: it is waited for',
    { isMessageArriving: true, view: viewOf(task, call) },
    'wait',
  ],
  ['a call needs consent: the run ends', { view: viewOf(task, call), confirmation: always }, 'end waiting'],
  [
    'a call has consent: it is carried out',
    { view: viewOf(task, call), confirmation: always, approved: new Set(['event-1']) },
    'carry out',
  ],
  [
    'the tool has a gate of its own: it is asked',
    { view: viewOf(task, call), mayNeedApproval: () => true },
    'check',
  ],
  [
    'the gate says that the call needs approval: the run ends',
    { view: viewOf(task, call), mayNeedApproval: () => true, run: runOf(checked(true)) },
    'end waiting',
  ],
  [
    'the gate lets the call through: it is carried out',
    { view: viewOf(task, call), mayNeedApproval: () => true, run: runOf(checked(false)) },
    'carry out',
  ],
  [
    'the call was approved: its gate is not asked',
    { view: viewOf(task, call), mayNeedApproval: () => true, approved: new Set(['event-1']) },
    'carry out',
  ],
  ['stopped: the run ends', { stopped: { kind: 'paused' } }, 'end paused'],
  [
    'stopped while a call waits for consent: the stop counts',
    { stopped: { kind: 'interrupted' }, view: viewOf(task, call), confirmation: always },
    'end interrupted',
  ],
  [
    'stopped when the agent has finished: it has finished',
    { stopped: { kind: 'paused' }, run: runOf(finishes) },
    'end finished',
  ],
  ['all steps are taken: the run ends', { run: runOf(...asked(20)) }, 'end limit'],
  [
    'one step is left: it is taken when the model has been told',
    { run: runOf(...asked(19), { kind: 'told' }) },
    'condense',
  ],
  [
    'condensations count as steps',
    { run: runOf(...Array<Happening>(20).fill({ kind: 'condensed' })) },
    'end limit',
  ],
  [
    'all steps are taken, but calls are open: they were paid for',
    { run: runOf(...asked(20)), view: viewOf(task, call) },
    'carry out',
  ],
  [
    'the money is spent: the run ends',
    { limits: { maxIterations: 20, stuckDetection: true, spent: () => spent } },
    'end limit',
  ],
  [
    'the money is spent, but calls are open: they were paid for',
    { limits: { maxIterations: 20, stuckDetection: true, spent: () => spent }, view: viewOf(task, call) },
    'carry out',
  ],
  [
    'few turns are left: the model is told',
    { run: runOf(...asked(20 - FEW_TURNS)) },
    'tell longhand:turns-left',
  ],
  [
    'few turns are left, and the model was told before this turn: it is not told twice',
    { run: runOf(...asked(20 - FEW_TURNS), { kind: 'told' }) },
    'condense',
  ],
  [
    'few turns are left, and the model was told before the last turn: it is told again',
    { run: runOf(...asked(20 - FEW_TURNS), { kind: 'told' }, ...asked(1)) },
    'tell longhand:turns-left',
  ],
  [
    'more than a few turns are left: the model is not told',
    { run: runOf(...asked(19 - FEW_TURNS)) },
    'condense',
  ],
  [
    'the whole run has few turns: the model is told at once',
    { limits: { maxIterations: 2, stuckDetection: true, spent: () => null } },
    'tell longhand:turns-left',
  ],
  [
    'a record says when the model is told: it is told then and only then',
    {
      run: runOf(...asked(19)),
      limits: { maxIterations: 20, stuckDetection: true, spent: () => null, tellsTurnsLeft: () => false },
    },
    'condense',
  ],
  [
    'few turns are left, and a message is on its way: the model is told first',
    { run: runOf(...asked(15)), isMessageArriving: true },
    'tell longhand:turns-left',
  ],
  [
    'the same call failed three times: the model is told',
    { view: viewOf(task, ...repeated(3, (id) => errorDraft(id))) },
    'tell longhand:repeated-failure',
  ],
  [
    'the same call failed four times: the run ends',
    { view: viewOf(task, ...repeated(4, (id) => errorDraft(id))) },
    'end stuck',
  ],
  [
    'the same call gave the same result four times: the run ends',
    { view: viewOf(task, ...repeated(4, (id, i) => observationDraft(id, `event-${2 * i + 1}`))) },
    'end stuck',
  ],
  [
    'stuck counts more than a limit that is reached',
    { view: viewOf(task, ...repeated(4, (id) => errorDraft(id))), run: runOf(...asked(20)) },
    'end stuck',
  ],
  [
    'without stuck detection the agent may go round in circles',
    {
      view: viewOf(task, ...repeated(4, (id) => errorDraft(id))),
      limits: { maxIterations: 20, stuckDetection: false, spent: () => null },
    },
    'condense',
  ],
  ['the agent spoke: the run is finished', { run: runOf(spoke) }, 'end finished'],
  ['the agent called finish: the run is finished', { run: runOf(finishes) }, 'end finished'],
  [
    'the agent spoke, but has not heard the latest message: it goes on',
    { run: runOf(spoke), state: { leafId: 'leaf', lastUserMessageId: 'newer' }, hasReplies: true },
    'continue',
  ],
  [
    'the agent spoke, and somebody replies: the reply is awaited',
    { run: runOf(spoke), hasReplies: true },
    'reply',
  ],
  [
    'the agent called finish: nobody is asked for a reply',
    { run: runOf(finishes), hasReplies: true },
    'end finished',
  ],
  [
    'nobody replied: the run is finished',
    { run: runOf(spoke, { kind: 'unanswered' }), hasReplies: true },
    'end finished',
  ],
  ['there are stop hooks: they are asked', { run: runOf(finishes), hasStopHooks: true }, 'consult'],
  [
    'nobody replied, and there are stop hooks: they are asked',
    { run: runOf(spoke, { kind: 'unanswered' }), hasReplies: true, hasStopHooks: true },
    'consult',
  ],
  [
    'a stop hook agrees: the run is finished',
    { run: runOf(finishes, { kind: 'judged', verdict: { events: [] } }), hasStopHooks: true },
    'end finished',
  ],
  [
    'a stop hook refuses: the agent goes on',
    {
      run: runOf(finishes, { kind: 'judged', verdict: { events: [], feedback: 'more' } }),
      hasStopHooks: true,
    },
    'continue',
  ],
];

function nameOf(decision: Decision): string {
  if (decision.kind === 'end') return `end ${decision.outcome.kind}`;
  return decision.kind === 'tell' ? `tell ${decision.sender}` : decision.kind;
}

for (const [name, more, expected] of table) {
  test(name, () => assert.equal(nameOf(decide(situation(more))), expected));
}

test('the prompt that the condenser made is the one that is sent', () => {
  const run = runOf({ kind: 'prepared', at: 'leaf', messages: PROMPT });
  assert.deepEqual(decide(situation({ run })), { kind: 'ask', messages: PROMPT });
});

test('the last words of the agent are the outcome', () => {
  assert.deepEqual(decide(situation({ run: runOf(spoke) })), {
    kind: 'end',
    outcome: { kind: 'finished', message: 'bye' },
  });
});

test('an answer of the model or a result allows another condensation; a request in a result does not', () => {
  const { barren: afterAnswer } = runOf({ kind: 'condensed' }, { kind: 'stored', events: [call] });
  const request: Draft = { source: 'agent', kind: 'CondensationRequest' };
  const { barren: afterRequest } = runOf({ kind: 'condensed' }, { kind: 'stored', events: [call, request] });
  assert.deepEqual([afterAnswer, afterRequest], [0, 2]);
});

test('what was stored with an ending that got no reply is not stored again', () => {
  const { ending } = runOf({ ...spoke, events: [task] }, { kind: 'unanswered' });
  assert.deepEqual(ending?.events, []);
});

test('the turns that are left are counted down, and the last one is called the last', () => {
  const told = [16, 18, 19].map((steps) => decide(situation({ run: runOf(...asked(steps)) })));
  assert.deepEqual(
    told.map((decision) => (decision.kind === 'tell' ? decision.words.split('.')[0] : decision.kind)),
    ['You have 4 turns left', 'You have 2 turns left', 'This is your last turn'],
  );
});

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { call, openInMemory } from '../../../test-support/open-in-memory.ts';
import { callDraft, countingClock, observationDraft } from '../../../test-support/random-history.ts';
import { SENDERS } from '../../agent/sender.ts';
import { textOf } from '../../event/content.ts';
import { eventOf } from '../../event/draft.ts';
import type { ActionEvent, Event } from '../../event/kinds.ts';
import type { ScriptedTurn } from '../../llm/playback/scripted-llm.ts';
import { Locks } from '../../tool/locks.ts';
import type { HookVerdict, Onlookers } from '../hooks/hooks.ts';
import type { OpenOptions } from '../open-options.ts';
import { type PerformDeps, perform } from './perform.ts';
import { begin, evolve } from './run-state.ts';

/** The kinds of the events, without bookkeeping; of messages, who sent them. */
const shown = (events: readonly Event[]) =>
  events.flatMap((event) => {
    if (event.kind === 'ConversationStateUpdateEvent') return [];
    return [event.kind === 'MessageEvent' ? (event.sender ?? event.source) : event.kind];
  });

async function ran(t: TestContext, turns: readonly ScriptedTurn[], more: Partial<OpenOptions> = {}) {
  const { conversation, log } = await openInMemory(t, turns, more);
  await conversation.send('go');
  const outcome = await conversation.run();
  return { outcome, conversation, log, shown: shown(log()).slice(2) };
}

const QUIET: HookVerdict = { events: [], additionalContext: [] };

/** Hooks that give these verdicts on the end of a run, one after another, and then none. */
function onStop(...verdicts: readonly Partial<HookVerdict>[]): Onlookers {
  const left = [...verdicts];
  return {
    on: async (event) => ({ ...QUIET, ...(event === 'Stop' ? left.shift() : {}) }),
    close: async () => undefined,
  };
}

test('an agent that a stop hook refuses to end is told why, and continues', async (t) => {
  const onlookers = onStop(
    { refusal: 'tests fail' },
    { refusal: 'no', additionalContext: ['still failing'] },
  );
  const { outcome, shown, conversation } = await ran(
    t,
    [{ text: 'done' }, { tool_calls: [call('done again', 'finish')] }, { text: 'at last' }],
    { standIns: { onlookers } },
  );
  assert.deepEqual(outcome, { kind: 'finished', message: 'at last' });
  assert.deepEqual(shown, [
    'agent',
    SENDERS.stopHook,
    'ActionEvent',
    'ObservationEvent',
    SENDERS.stopHook,
    'agent',
  ]);
  const told = conversation.view.messages().map(({ content }) => textOf(content));
  assert.ok(told.includes('The run must not end yet: tests fail'));
  assert.ok(told.includes('The run must not end yet: still failing'));
});

test('the events of stop hooks are stored after the words with which the run ends', async (t) => {
  const stopped = {
    source: 'hook',
    hook_event_type: 'Stop',
    hook_command: 'check',
    success: true,
    blocked: false,
    exit_code: 0,
    stdout: '',
    stderr: '',
    kind: 'HookExecutionEvent',
  } as never;
  const { shown } = await ran(t, [{ text: 'done' }], {
    standIns: { onlookers: onStop({ events: [stopped] }) },
  });
  assert.deepEqual(shown, ['agent', 'HookExecutionEvent']);
});

test('an agent that speaks gets an automatic reply, and one that calls finish does not', async (t) => {
  const { outcome, shown, conversation } = await ran(
    t,
    [{ text: 'shall I?' }, { tool_calls: [call('done', 'finish')] }],
    { oversight: { autoContinue: 'yes' } },
  );
  assert.deepEqual(outcome, { kind: 'finished', message: 'done' });
  assert.deepEqual(shown, ['agent', SENDERS.autoContinue, 'ActionEvent', 'ObservationEvent']);
  assert.ok(conversation.view.messages().some(({ content }) => textOf(content) === 'yes'));
});

test('an agent that gets no reply has finished, and what it said is stored once', async (t) => {
  const said: string[] = [];
  const autoContinue = (words: string) => {
    said.push(words);
    return undefined;
  };
  const { outcome, shown } = await ran(t, [{ text: 'shall I?' }], { oversight: { autoContinue } });
  assert.deepEqual(
    [outcome, shown, said],
    [{ kind: 'finished', message: 'shall I?' }, ['agent'], ['shall I?']],
  );
});

test('from the fifth turn from the end on, the agent is told before each turn', async (t) => {
  const turns = Array.from({ length: 12 }, (_, i) => ({ tool_calls: [call(`${i}`)] }));
  const { outcome, shown } = await ran(t, turns, { limits: { maxIterations: 12 } });
  assert.equal(outcome.kind, 'limit');
  const pair = ['ActionEvent', 'ObservationEvent'];
  assert.deepEqual(shown, [
    ...Array(7).fill(pair).flat(),
    ...Array(5)
      .fill([SENDERS.turnsLeft, ...pair])
      .flat(),
    'ConversationErrorEvent',
  ]);
});

test('the same failure three times is pointed out to the agent', async (t) => {
  const failing = { tool_calls: [{ name: 'echo', arguments: { wrong: 1 } }] };
  const { shown } = await ran(t, [failing, failing, failing, { text: 'I give up' }]);
  assert.equal(shown.filter((each) => each === SENDERS.repeatedFailure).length, 1);
  assert.equal(shown.at(-2), SENDERS.repeatedFailure);
});

test('a result is stored, and ends a row of condensations', async () => {
  const action = eventOf(callDraft('c', 'r'), null, countingClock()) as ActionEvent;
  const result = observationDraft('c', action.id);
  const stored: unknown[] = [];
  const carryOut = {
    tools: { get: () => undefined },
    locks: new Locks(),
    signal: new AbortController().signal,
    execute: async () => result,
  };
  const recorder = { record: async (...drafts: readonly unknown[]) => stored.push(...drafts) };
  const run = evolve(begin('m1'), { kind: 'condensed' });
  const deps = { carryOut, recorder } as unknown as PerformDeps;
  const after = await perform({ kind: 'carry out', actions: [action] }, run, deps);
  assert.deepEqual([after, stored], [{ ...run, barren: 0 }, [result]]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  callDraft,
  countingClock,
  observationDraft,
  wordsDraft,
} from '../../../test-support/random-history.ts';
import { cutOff, TimeIsUpError } from '../../agent/results.ts';
import type { Draft } from '../../event/draft.ts';
import { LimitReachedError } from '../../llm/accounts/ledger.ts';
import { LLMError } from '../../llm/errors.ts';
import { MemoryEventLog } from '../../log/memory-event-log.ts';
import { History } from '../state/history.ts';
import type { Outcome } from '../state/status.ts';
import { abortOutcome, conclude, failure, limitOutcome } from './conclude.ts';
import { Recorder } from './recorder.ts';

/** What is written at the end of a run with an open call, as kinds, and statuses in their place. */
async function written(outcome: Outcome, signal: AbortSignal, events: readonly Draft[] = []) {
  const log = new MemoryEventLog();
  const history = new History(log);
  const recorder = new Recorder(log, history, countingClock());
  await recorder.record(wordsDraft('user', 'go'), callDraft('c', 'r'));
  recorder.recordLatest('stats', () => 'before');
  assert.equal(await conclude(outcome, events, { history, recorder, signal }), outcome);
  return [...log].slice(2).map((event) => {
    if (event.kind === 'ConversationStateUpdateEvent') return event.value;
    if (event.kind === 'AgentErrorEvent') return event.error;
    return event.kind === 'ConversationErrorEvent'
      ? [event.source, event.code, event.detail, event.classification?.kind]
      : [event.source, event.kind];
  });
}

const running = new AbortController().signal;
const aborted = AbortSignal.abort();
const OUTCOMES: readonly (readonly [Outcome, readonly unknown[]])[] = [
  [{ kind: 'finished', message: 'done' }, ['finished']],
  [{ kind: 'waiting' }, ['waiting_for_confirmation']],
  [{ kind: 'paused' }, [['user', 'PauseEvent'], 'paused']],
  [{ kind: 'interrupted' }, [['user', 'InterruptEvent'], 'paused']],
  [{ kind: 'stuck', detail: 'd' }, ['stuck']],
  [
    { kind: 'error', code: 'LLMAuthenticationError', detail: 'd' },
    [['environment', 'LLMAuthenticationError', 'd', 'auth'], 'error'],
  ],
  [
    { kind: 'limit', code: 'MaxBudgetReached', detail: 'd' },
    [['environment', 'MaxBudgetReached', 'd', 'quota'], 'error'],
  ],
];

for (const [outcome, closing] of OUTCOMES)
  test(`the end of a run that is ${outcome.kind} follows what was to be stored before it`, async () => {
    const last = wordsDraft('agent', 'bye');
    const words = ['agent', 'MessageEvent'];
    assert.deepEqual(await written(outcome, running, [last]), ['before', words, ...closing]);
    const cut = outcome.kind === 'finished' ? [] : [cutOff(aborted)];
    assert.deepEqual(await written(outcome, aborted, [last]), ['before', words, ...cut, ...closing]);
  });

test('what becomes due while the end is stored is stored after it', async () => {
  const log = new MemoryEventLog();
  const history = new History(log);
  const recorder = new Recorder(log, history, countingClock());
  recorder.subscribe({
    onEvent: ({ kind }) => kind === 'PauseEvent' && recorder.recordLatest('stats', () => 'after'),
  });
  await conclude({ kind: 'paused' }, [], { history, recorder, signal: running });
  assert.deepEqual(
    [...log].map((event) => (event.kind === 'ConversationStateUpdateEvent' ? event.value : event.kind)),
    ['PauseEvent', 'paused', 'after'],
  );
});

test('a call with a result is not answered again when the run is aborted', async () => {
  const log = new MemoryEventLog();
  const history = new History(log);
  const recorder = new Recorder(log, history, countingClock());
  const [, call] = await recorder.record(wordsDraft('user', 'go'), callDraft('c', 'r'));
  await recorder.record(observationDraft('c', call?.id ?? ''));
  await conclude({ kind: 'interrupted' }, [], { history, recorder, signal: aborted });
  assert.deepEqual(
    [...log].slice(3).map(({ kind }) => kind),
    ['InterruptEvent', 'ConversationStateUpdateEvent'],
  );
});

test('an abort is an interrupt, unless the time was up', () => {
  const timeIsUp = AbortSignal.abort(new TimeIsUpError('a minute has passed'));
  assert.deepEqual(
    [abortOutcome(aborted), abortOutcome(timeIsUp)],
    [{ kind: 'interrupted' }, { kind: 'limit', code: 'MaxTimeReached', detail: 'a minute has passed' }],
  );
});

test('a failure has the code and the remedy of its error, as far as there are any', () => {
  const spent = new LimitReachedError('MaxTokensReached', 'too many');
  const limit = { kind: 'limit', code: 'MaxTokensReached', detail: 'too many' };
  const llm = new LLMError('LLMAuthenticationError', 'who?', { remedy: 'Set a key.' });
  const bare = new LLMError('LLMRateLimitError', 'slow');
  const mistake = new TypeError('no');
  assert.deepEqual(
    [limitOutcome(spent), ...[spent, llm, bare, mistake, 'words'].map(failure)],
    [
      limit,
      limit,
      { kind: 'error', code: 'LLMAuthenticationError', detail: 'who?', remedy: 'Set a key.', cause: llm },
      { kind: 'error', code: 'LLMRateLimitError', detail: 'slow', cause: bare },
      { kind: 'error', code: 'TypeError', detail: 'no', cause: mistake },
      { kind: 'error', code: 'Error', detail: 'words', cause: 'words' },
    ],
  );
});

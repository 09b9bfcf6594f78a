import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { countingClock, wordsDraft } from '../../../test-support/random-history.ts';
import { ROOT } from '../../event/identity.ts';
import type { Event } from '../../event/kinds.ts';
import { LogError, type LogErrorCode } from '../../log/log-error.ts';
import { MemoryEventLog } from '../../log/memory-event-log.ts';
import { History } from '../state/history.ts';
import { stateUpdate } from '../state/state.ts';
import { Recorder, type RecorderOptions } from './recorder.ts';

function scene(options: RecorderOptions = {}) {
  const log = new MemoryEventLog();
  const history = new History(log);
  const recorder = new Recorder(log, history, countingClock(), options);
  const stored = () => [...log.read()].map(([, event]) => event);
  return { log, history, recorder, stored };
}

test('nothing is stored before what it waits for is ready, and then in order', async () => {
  const { recorder, log, stored } = scene();
  const ready = Promise.withResolvers<void>();
  recorder.holdUntil(ready.promise);
  const first = recorder.record(wordsDraft('user', 'one'));
  const second = recorder.record(wordsDraft('user', 'two'));
  await setImmediate();
  assert.equal(log.length, 0);
  ready.resolve();
  const [event] = [...(await first), ...(await second)];
  assert.equal(stored().length, 2);
  assert.equal(stored()[0]?.id, event?.id);
});

test('each event follows the one before it; bookkeeping events do not lengthen a branch', async () => {
  const { recorder, stored, history } = scene();
  await recorder.record(wordsDraft('user', 'one'));
  recorder.recordLatest('stats', () => 'latest');
  await recorder.settled();
  await recorder.record(wordsDraft('user', 'two'));
  const [one, update, two] = stored();
  assert.deepEqual([update?.parent_id, two?.parent_id], [one?.id, one?.id]);
  assert.equal(history.state.leafId, two?.id);
});

test('of values where only the latest matters, only the latest is stored', async () => {
  const { recorder, stored } = scene();
  recorder.recordLatest('key', () => 1);
  recorder.recordLatest('key', () => 2);
  await recorder.settled();
  assert.deepEqual(
    stored().map((event) => event.kind === 'ConversationStateUpdateEvent' && event.value),
    [2],
  );
});

test('reworded events are masked, too', async () => {
  const { recorder, stored } = scene({
    secrets: ['secret-key'],
    reword: () => wordsDraft('user', 'the secret-key'),
  });
  await recorder.record(wordsDraft('user', 'words'));
  assert.doesNotMatch(JSON.stringify(stored()), /secret-key|"words"/);
});

test('a listener that throws affects neither the others nor the log', async () => {
  const { recorder, log } = scene();
  const heard: number[] = [];
  recorder.subscribe({
    onEvent: () => {
      throw new Error('faulty');
    },
  });
  recorder.subscribe({ onEvent: (_, index) => heard.push(index) });
  await recorder.record(wordsDraft('user', 'one'), wordsDraft('user', 'two'));
  assert.deepEqual([heard, log.length], [[0, 1], 2]);
});

test('a listener that throws is reported once, however often it throws', async () => {
  const { recorder } = scene();
  const warnings: string[] = [];
  const onWarning = ({ message }: Error) => message.includes('broken') && warnings.push(message);
  process.on('warning', onWarning);
  recorder.subscribe({
    onEvent: () => {
      throw new Error('broken');
    },
  });
  await recorder.record(wordsDraft('user', 'one'), wordsDraft('user', 'two'));
  await recorder.record(wordsDraft('user', 'three'));
  await setImmediate();
  process.off('warning', onWarning);
  assert.deepEqual(warnings, ["a conversation's listener threw: Error: broken"]);
});

test('a listener hears nothing after it has unsubscribed', async () => {
  const { recorder } = scene();
  const heard: number[] = [];
  const unsubscribe = recorder.subscribe({ onEvent: (_, index) => heard.push(index) });
  await recorder.record(wordsDraft('user', 'one'));
  unsubscribe();
  await recorder.record(wordsDraft('user', 'two'));
  assert.deepEqual(heard, [0]);
});

test('nothing to store is not passed to the log', async () => {
  const { log, recorder } = scene();
  await log.close();
  assert.deepEqual(await recorder.record(), []);
  await recorder.settled();
  assert.equal(recorder.failure, null);
});

/** A recorder whose log fails this way at the first event. */
function failing(error: Error) {
  const log = new MemoryEventLog();
  const append = log.append.bind(log);
  let isFirst = true;
  log.append = async (...events: readonly Event[]) => {
    if (!isFirst) return await append(...events);
    isFirst = false;
    throw error;
  };
  const recorder = new Recorder(log, new History(log), countingClock());
  const heard: Event[] = [];
  recorder.subscribe({ onEvent: (event) => heard.push(event) });
  return { log, recorder, heard };
}

test('an event that could not be stored is remembered as the failure, unless the log only refused it', async () => {
  const cases: readonly (readonly [LogErrorCode, isFailure: boolean])[] = [
    ['storage_full', true],
    ['io', true],
    ['closed', true],
    ['duplicate_id', false],
    ['invalid_id', false],
    ['invalid_event', false],
  ];
  for (const [code, isFailure] of cases) {
    const error = new LogError(code, 'no');
    const { recorder, log, heard } = failing(error);
    await assert.rejects(recorder.record(wordsDraft('user', 'one')), error);
    assert.equal(recorder.failure, isFailure ? error : null, code);
    await recorder.record(wordsDraft('user', 'two'));
    assert.deepEqual([log.length, heard.length], [1, 1]);
  }
  const other = new Error('other');
  const { recorder } = failing(other);
  await assert.rejects(recorder.record(wordsDraft('user', 'one')), other);
  assert.equal(recorder.failure, null);
});

test('the first failure is the one that is remembered', () => {
  const { recorder } = scene();
  const [first, second] = [new LogError('io', 'first'), new LogError('io', 'second')];
  assert.deepEqual([recorder.broken(first), recorder.broken(second)], [first, second]);
  assert.equal(recorder.failure, first);
});

test('drafts that are made late see the state after everything before them', async () => {
  const { recorder } = scene();
  const first = recorder.record(wordsDraft('user', 'one'));
  const seen: unknown[] = [];
  const second = recorder.recordNext(({ leafId }) => {
    seen.push(leafId);
    return [wordsDraft('user', 'two')];
  });
  assert.deepEqual(seen, []);
  const [[one], [two]] = [await first, await second];
  assert.deepEqual([seen, two?.parent_id], [[one?.id], one?.id]);
});

test('the latest values are stored on their own after a while, each once', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { recorder, stored } = scene();
  const values = () => stored().map((event) => event.kind === 'ConversationStateUpdateEvent' && event.value);
  recorder.recordLatest('a', () => 1);
  t.mock.timers.tick(200);
  recorder.recordLatest('b', () => 2);
  t.mock.timers.tick(49);
  await recorder.record();
  assert.deepEqual(values(), []);
  t.mock.timers.tick(1);
  await recorder.record();
  assert.deepEqual(values(), [1, 2]);
  recorder.recordLatest('a', () => 3);
  await recorder.settled();
  recorder.recordLatest('a', () => 4);
  t.mock.timers.tick(249);
  await recorder.record();
  assert.deepEqual(values(), [1, 2, 3]);
  t.mock.timers.tick(1);
  await recorder.record();
  assert.deepEqual(values(), [1, 2, 3, 4]);
});

test('listeners get notices and warnings', () => {
  const { recorder } = scene();
  const heard: unknown[] = [];
  recorder.subscribe({ onEvent: () => undefined });
  recorder.subscribe({ onNotice: (notice) => heard.push(notice) });
  recorder.warn('careful');
  recorder.notify({ type: 'model-start' });
  assert.deepEqual(heard, [{ type: 'warning', text: 'careful' }, { type: 'model-start' }]);
});

test('the first event has no parent, and one before all others is at the root', async () => {
  const { recorder, history, stored } = scene();
  await recorder.record(wordsDraft('user', 'one'), stateUpdate('key', 1), wordsDraft('user', 'two'));
  history.moveTo(null);
  await recorder.record(wordsDraft('user', 'three'));
  const [one, , two] = stored();
  assert.deepEqual(
    stored().map(({ parent_id: parent }) => parent),
    [undefined, one?.id, one?.id, ROOT],
  );
  assert.ok(Object.isFrozen(two) && two?.kind === 'MessageEvent' && Object.isFrozen(two.llm_message.content));
});

test('listeners hear an event with its index when it is folded', async () => {
  const { recorder, history } = scene();
  const heard: unknown[] = [];
  recorder.subscribe({
    onEvent: ({ id }, index) => heard.push([index, history.state.leafId === id]),
  });
  await recorder.record(wordsDraft('user', 'one'));
  await recorder.record(wordsDraft('user', 'two'), wordsDraft('user', 'three'));
  assert.deepEqual(heard, [
    [0, true],
    [1, true],
    [2, true],
  ]);
});

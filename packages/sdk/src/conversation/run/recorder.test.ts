import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { countingClock, wordsDraft } from '../../../test-support/random-history.ts';
import { MemoryEventLog } from '../../log/memory-event-log.ts';
import { History } from '../state/history.ts';
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

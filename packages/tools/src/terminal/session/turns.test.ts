import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as tick } from 'node:timers/promises';
import { Turns } from './turns.ts';

const { signal } = new AbortController();
const busy = (seconds: number) => `busy for ${seconds} s`;

/** Takes the thing called `name` until the returned function is called. */
function holder(
  turns: Turns<string>,
  name: string,
): { readonly release: () => void; readonly done: Promise<string> } {
  const { promise, resolve } = Promise.withResolvers<string>();
  return {
    release: () => resolve(name),
    done: turns.take(
      () => name,
      signal,
      () => promise,
    ),
  };
}

test('a wait that takes too long fails; waiters get returned items in order', async () => {
  const turns = new Turns<string>(busy, 20);
  const a = holder(turns, 'a');
  await assert.rejects(
    turns.take(
      () => 'a',
      signal,
      async () => '',
    ),
    /busy for 0\.02 s/,
  );
  const patient = new Turns<string>(busy);
  const first = holder(patient, 'a');
  const order: number[] = [];
  const waiting = [1, 2, 3].map((i) =>
    patient.take(
      () => 'a',
      signal,
      async () => void order.push(i),
    ),
  );
  await tick();
  assert.deepEqual([order, patient.isTaken('a')], [[], true]);
  first.release();
  await Promise.all(waiting);
  assert.deepEqual([order, patient.isTaken('a')], [[1, 2, 3], false]);
  a.release();
  await a.done;
});

test('nothing is handed out after closing, and an item in use is returned by its user', async () => {
  const turns = new Turns<string>(busy);
  const a = holder(turns, 'a');
  const waits = turns.take(
    () => 'a',
    signal,
    async () => '',
  );
  turns.close();
  await assert.rejects(waits, /closed/);
  await assert.rejects(
    turns.take(
      () => 'b',
      signal,
      async () => '',
    ),
    /closed/,
  );
  a.release();
  assert.equal(await a.done, 'a');
});

test('an abort ends a wait; a failure returns the item', async () => {
  const turns = new Turns<string>(busy);
  const a = holder(turns, 'a');
  const abort = new AbortController();
  const waits = turns.take(
    () => 'a',
    abort.signal,
    async () => '',
  );
  abort.abort(new Error('interrupted'));
  await assert.rejects(waits, /interrupted/);
  a.release();
  await a.done;
  await assert.rejects(
    turns.take(
      () => 'a',
      signal,
      () => Promise.reject(new Error('failed')),
    ),
    /failed/,
  );
  assert.equal(turns.isTaken('a'), false);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import * as fc from 'fast-check';
import { Locks, LockTimeoutError } from './locks.ts';

const { signal } = new AbortController();

test('property: no two calls hold a key at once, keys are granted in the order of the requests, and none stays locked', async () => {
  const keys = fc.uniqueArray(fc.constantFrom('file:a', 'file:b', 'terminal:session'));
  await fc.assert(
    fc.asyncProperty(fc.array(keys, { maxLength: 12 }), async (calls) => {
      const locks = new Locks();
      const held = new Set<string>();
      const order = new Map<string, number[]>();
      await Promise.all(
        calls.map((wanted, i) =>
          locks.with(wanted, signal, async () => {
            for (const key of wanted) {
              assert.equal(held.has(key), false);
              held.add(key);
              order.set(key, [...(order.get(key) ?? []), i]);
            }
            await sleep(0);
            for (const key of wanted) held.delete(key);
          }),
        ),
      );
      assert.equal(order.size, new Set(calls.flat()).size);
      for (const each of order.values()) assert.equal(each.length, new Set(each).size);
      assert.equal(locks.size, 0);
    }),
    { numRuns: 50 },
  );
});

test('a call that waits too long fails with the name of the key, and calls behind it still get the key', async () => {
  const locks = new Locks(() => 20);
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const first = locks.with(['file:a'], signal, () => done);
  await assert.rejects(
    locks.with(['file:a'], signal, async () => assert.fail('must not run')),
    (error) => error instanceof LockTimeoutError && /file:a/.test(error.message),
  );
  const third = locks.with(['file:a'], signal, async () => 'third');
  resolve();
  await first;
  assert.equal(await third, 'third');
  assert.equal(locks.size, 0);
});

test('an interrupt ends the wait, and the key goes to the next call', async () => {
  const locks = new Locks();
  const abort = new AbortController();
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const first = locks.with(['tool:x'], signal, () => done);
  const second = locks.with(['tool:x'], abort.signal, async () => assert.fail('must not run'));
  abort.abort(new Error('stop'));
  await assert.rejects(second, /stop/);
  resolve();
  await first;
  await locks.with(['tool:x'], signal, async () => undefined);
  assert.equal(locks.size, 0);
});

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { unlessAborted } from './unless-aborted.ts';

test('without an abort the result is that of the work, and no listener remains', async () => {
  const { signal } = new AbortController();
  assert.equal(await unlessAborted('done', signal), 'done');
  await assert.rejects(unlessAborted(Promise.reject(new Error('failed')), signal), /failed/);
  assert.deepEqual(getEventListeners(signal, 'abort'), []);
});

test('an abort ends the wait with its reason, before or during the work', async () => {
  const endless = new Promise<never>(() => undefined);
  const abort = new AbortController();
  const waiting = unlessAborted(endless, abort.signal);
  abort.abort(new Error('enough'));
  await assert.rejects(waiting, /enough/);
  await assert.rejects(unlessAborted(endless, abort.signal), /enough/);
});

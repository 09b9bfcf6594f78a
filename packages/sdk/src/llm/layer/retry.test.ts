import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Canned, cannedLlm, EMPTY, hang, unaborted } from '../../../test-support/canned-llm.ts';
import type { LlmConfig } from '../config/llm-config.ts';
import { LLMError, type LLMErrorCode } from '../errors.ts';
import type { CompleteOptions, Retry } from '../llm.ts';
import { type Timing, withRetry } from './retry.ts';

/** A clock that goes on to the next timer as soon as nothing else is to be done. */
function virtualTime(random = 0, beginning = 0): Timing {
  let now = beginning;
  const timers = new Set<{ readonly at: number; readonly ring: () => void }>();
  const goOn = () => {
    const [next] = [...timers].sort((a, b) => a.at - b.at);
    if (next === undefined) return;
    timers.delete(next);
    now = Math.max(now, next.at);
    next.ring();
  };
  return {
    now: () => now,
    random: () => random,
    sleep: (ms, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const timer = { at: now + ms, ring: resolve };
      const onAbort = () => {
        timers.delete(timer);
        reject(new DOMException('aborted', 'AbortError'));
      };
      if (signal.aborted) onAbort();
      else {
        timers.add(timer);
        signal.addEventListener('abort', onAbort, { once: true });
        setImmediate(goOn);
      }
      return promise;
    },
  };
}

function failure(code: LLMErrorCode = 'LLMServiceUnavailableError', retryAfterMs?: number): LLMError {
  return new LLMError(code, 'down', { retryable: true, remedy: 'Wait.', status: 503, retryAfterMs });
}

/** A call that fails after so long. */
const failAfter =
  (ms: number, timing: Timing): Canned =>
  async (_prompt, { signal }) => {
    await timing.sleep(ms, signal);
    throw failure();
  };

interface Outcome {
  readonly error: LLMError | undefined;
  readonly retries: readonly Omit<Retry, 'error'>[];
  readonly asked: number;
  readonly tookMs: number;
  readonly temperatures: readonly (number | undefined)[];
}

async function call(
  answers: readonly Canned[],
  retry: LlmConfig['retry'],
  {
    timing = virtualTime(),
    temperature,
    options = {},
  }: {
    readonly timing?: Timing;
    readonly temperature?: number | undefined;
    readonly options?: Partial<CompleteOptions>;
  } = {},
): Promise<Outcome> {
  const llm = cannedLlm('m', answers);
  const retries: Omit<Retry, 'error'>[] = [];
  const onRetry = ({ error: _, ...rest }: Retry) => retries.push(rest);
  const config = { model: 'm', retry, sampling: { temperature } };
  const error = await withRetry(llm, config, timing)
    .complete(EMPTY, { ...unaborted(), onRetry, ...options })
    .then(
      () => undefined,
      (thrown) => thrown,
    );
  const temperatures = llm.asked.map((each) => each.options.temperature);
  return { error, retries, asked: llm.asked.length, tookMs: timing.now(), temperatures };
}

test('by default there are five attempts, with waits of 8, 16, 32 and 64 s between them', async () => {
  const { error, retries, asked } = await call([failure()], undefined);
  assert.equal(asked, 5);
  assert.deepEqual(
    retries.map(({ attempt, maxAttempts, waitMs }) => [attempt, maxAttempts, waitMs]),
    [
      [1, 5, 8_000],
      [2, 5, 16_000],
      [3, 5, 32_000],
      [4, 5, 64_000],
    ],
  );
  assert.equal(error?.message, 'down (tried 5 times)');
});

test('the wait grows from the multiplier, within the shortest and the longest', async () => {
  const waits = async (retry: LlmConfig['retry']) =>
    (await call([failure()], retry)).retries.map(({ waitMs }) => waitMs);
  assert.deepEqual(await waits({ multiplierMs: 2, minWaitMs: 3, maxWaitMs: 7 }), [3, 4, 7, 7]);
  assert.deepEqual(await waits({ multiplierMs: 2, minWaitMs: 0, maxWaitMs: 100 }), [2, 4, 8, 16]);
  assert.deepEqual(await waits({ multiplierMs: 1_000, maxWaitMs: 5, minWaitMs: 9 }), [9, 9, 9, 9]);
  assert.deepEqual(await waits({ maxWaitMs: 20_000 }), [8_000, 16_000, 20_000, 20_000]);
});

test('up to a quarter is added to a wait at random', async () => {
  const first = async (random: number) =>
    (await call([failure()], {}, { timing: virtualTime(random) })).retries[0]?.waitMs;
  assert.deepEqual([await first(0), await first(0.5), await first(1)], [8_000, 9_000, 10_000]);
});

test('a provider’s wait is respected beyond the longest wait, up to 300 s', async () => {
  const waitFor = async (retryAfterMs: number) =>
    (await call([failure('LLMRateLimitError', retryAfterMs)], { attempts: 2 })).retries[0]?.waitMs;
  assert.deepEqual(
    [await waitFor(40), await waitFor(100_000), await waitFor(300_000), await waitFor(300_001)],
    [40, 100_000, 300_000, 300_000],
  );
});

test('the configured attempts are all attempts; fewer than one is one', async () => {
  for (const [attempts, expected] of [
    [0, 1],
    [1, 1],
    [2, 2],
    [7, 7],
  ])
    assert.equal((await call([failure()], { attempts })).asked, expected);
  assert.equal((await call([failure()], { attempts: 1 })).error?.message, 'down (tried once)');
});

test('the first answer ends the attempts', async () => {
  const { error, asked, tookMs } = await call([failure(), failure(), {}], {});
  assert.deepEqual([error, asked, tookMs], [undefined, 3, 24_000]);
});

test('errors that are not retryable, and those of other kinds, are thrown as they are, at once', async () => {
  for (const thrown of [new LLMError('LLMBadRequestError', 'no'), new TypeError('no')]) {
    const { error, asked, retries } = await call([thrown], {});
    assert.deepEqual([error, asked, retries], [thrown, 1, []]);
  }
});

test('the last error keeps its details', async () => {
  const last = failure('LLMRateLimitError', 7);
  const { error } = await call([failure(), last], { attempts: 2 });
  assert.deepEqual(
    [error?.code, error?.retryable, error?.remedy, error?.status, error?.retryAfterMs, error?.cause],
    ['LLMRateLimitError', true, 'Wait.', 503, 7, last],
  );
});

test('no wait starts that would end at the deadline or later', async () => {
  const late = await call([failure()], { deadlineMs: 8_000 });
  assert.deepEqual([late.asked, late.tookMs], [1, 0]);
  assert.equal(late.error?.message, 'down (tried once; the limit is 8 s)');
  const inTime = await call([failure()], { deadlineMs: 8_001 });
  assert.deepEqual([inTime.asked, inTime.tookMs], [2, 8_000]);
  const none = await call([failure()], { deadlineMs: 0 });
  assert.equal(none.asked, 5);
});

test('time that attempts take counts towards the deadline', async () => {
  const timing = virtualTime();
  const { error, asked, tookMs } = await call(
    [failAfter(1_000, timing)],
    { deadlineMs: 9_000, minWaitMs: 2_000, multiplierMs: 2_000, maxWaitMs: 2_000 },
    { timing },
  );
  // Attempts end at 1, 4 and 7 s; the next one would begin at the deadline.
  assert.deepEqual([error?.code, asked, tookMs], ['LLMServiceUnavailableError', 3, 7_000]);
});

test('when the attempts run out before the deadline, the error does not mention it', async () => {
  const { error } = await call([failure()], { attempts: 2, deadlineMs: 1_000_000 });
  assert.equal(error?.message, 'down (tried 2 times)');
});

test('without a deadline an attempt has no timer; with one, its timer is what is left', async () => {
  const timersWith = async (deadlineMs?: number) => {
    const clock = virtualTime(0, 5_000);
    const timers: number[] = [];
    const timing: Timing = {
      ...clock,
      sleep: (ms, signal) => {
        timers.push(ms);
        return clock.sleep(ms, signal);
      },
    };
    await call([failure(), {}], { deadlineMs }, { timing });
    return timers;
  };
  assert.deepEqual(await timersWith(), [8_000]);
  assert.deepEqual(await timersWith(20_000), [20_000, 8_000, 12_000]);
});

test('an attempt in progress at the deadline is aborted, and the error is a timeout', async () => {
  const { error, asked, tookMs } = await call([hang], { deadlineMs: 5_000 });
  assert.deepEqual([error?.code, error?.retryable, asked, tookMs], ['LLMTimeoutError', true, 1, 5_000]);
  assert.equal(error?.message, 'm did not answer in time (tried once; the limit is 5 s)');
});

test('an abort by the caller during an attempt is not a timeout, and not retried', async () => {
  const abort = new AbortController();
  const reason = new Error('enough');
  setImmediate(() => abort.abort(reason));
  const { error, asked } = await call(
    [hang],
    { deadlineMs: 5_000 },
    {
      timing: { ...virtualTime(), sleep: (_, signal) => hang(EMPTY, { signal }) as Promise<never> },
      options: { signal: abort.signal },
    },
  );
  assert.deepEqual([error, asked], [reason, 1]);
});

test('an abort by the caller ends the wait for another attempt', async () => {
  const abort = new AbortController();
  const { error, asked } = await call(
    [failure()],
    {},
    {
      options: { signal: abort.signal, onRetry: () => abort.abort() },
    },
  );
  assert.deepEqual([error?.name, asked], ['AbortError', 1]);
});

test('no timer is left when a call with a deadline has its answer', async () => {
  let waiting = 0;
  const timing: Timing = {
    ...virtualTime(),
    sleep: async (_, signal) => {
      waiting += 1;
      await hang(EMPTY, { signal }).finally(() => {
        waiting -= 1;
      });
    },
  };
  assert.equal((await call([{}], { deadlineMs: 1_000 }, { timing })).error, undefined);
  await new Promise(setImmediate);
  assert.equal(waiting, 0);
});

test('a model that answered nothing at temperature 0 is asked at temperature 1 from then on', async () => {
  const nothing = failure('LLMNoResponseError');
  const temperatures = async (code: LLMError, temperature?: number) =>
    (await call([code], { attempts: 3 }, { temperature })).temperatures;
  assert.deepEqual(await temperatures(nothing, 0), [undefined, 1, 1]);
  assert.deepEqual(await temperatures(nothing, 0.5), [undefined, undefined, undefined]);
  assert.deepEqual(await temperatures(nothing), [undefined, undefined, undefined]);
  assert.deepEqual(await temperatures(failure(), 0), [undefined, undefined, undefined]);
});

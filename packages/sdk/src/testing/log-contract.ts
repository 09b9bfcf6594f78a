import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { randomHistory } from '../../test-support/random-history.ts';
import type { Event } from '../event/kinds.ts';
import type { EventLog } from '../log/event-log.ts';
import { LogError } from '../log/log-error.ts';

export interface LogUnderTest {
  readonly log: EventLog;
  /** The same log, opened again after it was closed; null for a log that does not outlive its closing. */
  reopen(): Promise<EventLog> | null;
  remove(): Promise<void>;
}

/** What every EventLog must do; `open` makes an empty one. */
export function eventLogContract(name: string, open: () => Promise<LogUnderTest>): void {
  const withLog = async (act: (each: LogUnderTest) => Promise<void>): Promise<void> => {
    const each = await open();
    try {
      await act(each);
    } finally {
      await each.log.close();
      await each.remove();
    }
  };
  const some = (count: number): readonly Event[] =>
    Array.from({ length: count }, (_, i) => ({
      id: `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
      timestamp: '2026-01-01T00:00:00',
      source: 'user',
      kind: 'PauseEvent',
    }));

  test(`${name}: events are found by index, from either end, and by id`, () =>
    withLog(async ({ log }) => {
      const events = some(3);
      assert.equal(await log.append(...events), 2);
      assert.deepEqual([log.length, log.at(0), log.at(-1), log.at(3)], [3, events[0], events[2], undefined]);
      assert.deepEqual([log.indexOf(events[1]?.id ?? ''), log.indexOf('none')], [1, -1]);
      assert.deepEqual([...log.read(1, 2)], [[1, events[1]]]);
    }));

  test(`${name}: appends that are begun together keep their order`, () =>
    withLog(async ({ log }) => {
      const events = some(20);
      const indices = await Promise.all(events.map((event) => log.append(event)));
      assert.deepEqual(indices, [...events.keys()]);
      assert.deepEqual(
        [...log.read()].map(([, event]) => event),
        events,
      );
    }));

  test(`${name}: an id that is taken, or that no reader would find again, is refused`, () =>
    withLog(async ({ log }) => {
      const [event] = some(1) as [Event];
      await log.append(event);
      await assert.rejects(
        log.append(event),
        (error) => error instanceof LogError && error.code === 'duplicate_id',
      );
      await assert.rejects(
        log.append({ ...event, id: 'not an id' }),
        (error) => error instanceof LogError && error.code === 'invalid_id',
      );
    }));

  test(`${name}: nothing is appended to a closed log`, () =>
    withLog(async ({ log }) => {
      await log.close();
      await assert.rejects(
        log.append(...some(1)),
        (error) => error instanceof LogError && error.code === 'closed',
      );
    }));

  test(`${name}: property: what was appended is what is read, also after it was opened again`, async () => {
    await fc.assert(
      fc.asyncProperty(randomHistory, (events) =>
        withLog(async (each) => {
          for (const event of events) await each.log.append(event);
          assert.deepEqual(
            [...each.log.read()].map(([, event]) => event),
            events,
          );
          await each.log.close();
          const again = await each.reopen();
          if (again !== null)
            assert.deepEqual(
              [...again.read()].map(([, event]) => event),
              events,
            );
          await again?.close();
        }),
      ),
      { numRuns: 30 },
    );
  });
}

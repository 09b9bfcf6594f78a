import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEvent } from '../../event/codec.ts';
import type { Event } from '../../event/kinds.ts';
import type { EventLog } from '../../log/event-log.ts';
import { sampleConversation } from './sample-events.ts';

/** An empty log, and what a test needs around it. */
export interface LogUnderTest {
  readonly log: EventLog;
  /** Opens the same log again after it was closed; null for a log that does not outlive its closing. */
  reopen(): Promise<EventLog> | null;
  /** Called after the log was closed. */
  remove(): Promise<void>;
}

/**
 * Registers the tests (of `node:test`) that every EventLog must pass. `name` begins their names; `open` makes an empty log
 * for each test.
 */
export function eventLogContract(name: string, open: () => Promise<LogUnderTest>): void {
  const onLog = (behaviour: string, act: (each: LogUnderTest) => Promise<void>): void => {
    test(`${name}: ${behaviour}`, async () => {
      const each = await open();
      try {
        await act(each);
      } finally {
        await each.log.close();
        await each.remove();
      }
    });
  };
  const all = (log: EventLog) => [...log.read()];

  onLog('an empty log has no events', async ({ log }) => {
    assert.deepEqual([log.length, all(log), [...log]], [0, [], []]);
  });

  onLog('events are found by index, from either end, and by id', async ({ log }) => {
    const events = some(3);
    assert.equal(await log.append(...events), 2);
    assert.equal(log.length, 3);
    assert.deepEqual(
      [log.at(0), log.at(2), log.at(-1), log.at(-3)],
      [0, 2, 2, 0].map((i) => events[i]),
    );
    const [, { id }] = events as [Event, Event];
    assert.deepEqual([log.indexOf(id), log.has(id), log.has('none')], [1, true, false]);
  });

  onLog('an index out of range and an unknown id are errors', async ({ log }) => {
    const outOfRange = { name: 'LogError', code: 'out_of_range' };
    for (const index of [0, -1]) assert.throws(() => log.at(index), outOfRange);
    await log.append(...some(3));
    for (const index of [3, -4, 1.5, Number.NaN])
      assert.throws(() => log.at(index), { ...outOfRange, message: /the log has the events 0 to 2/ });
    assert.throws(() => log.indexOf('none'), { name: 'LogError', code: 'not_found' });
  });

  onLog('a part is read by its indices, up to the end of the log', async ({ log }) => {
    const events = some(4);
    await log.append(...events);
    assert.deepEqual([...log.read(1, 3)], [...events.entries()].slice(1, 3));
    assert.deepEqual([...log.read(2)], [...events.entries()].slice(2));
    assert.deepEqual([...log.read(3, 9)], [...events.entries()].slice(3));
    assert.deepEqual([...log.read(4)], []);
  });

  onLog('appends that are begun together keep their order', async ({ log }) => {
    const events = some(20);
    const indices = await Promise.all(events.map((event) => log.append(event)));
    assert.deepEqual(indices, [...events.keys()]);
    assert.deepEqual(all(log), [...events.entries()]);
  });

  onLog('an id that is taken is rejected, and none of its append is stored', async ({ log }) => {
    const [first, second, third] = some(3) as [Event, Event, Event];
    await log.append(first);
    await assert.rejects(log.append(second, first), { name: 'LogError', code: 'duplicate_id' });
    await assert.rejects(log.append(second, third, second), { name: 'LogError', code: 'duplicate_id' });
    assert.deepEqual([log.length, log.has(second.id)], [1, false]);
    assert.equal(await log.append(second), 1);
  });

  onLog('an id that no reader would find again is rejected', async ({ log }) => {
    const [event] = some(1) as [Event];
    for (const id of ['not an id', '../../escape', 'abc', `${event.id}x`, ''])
      await assert.rejects(log.append({ ...event, id }), { name: 'LogError', code: 'invalid_id' }, id);
    assert.equal(log.length, 0);
  });

  onLog('an event that is not valid is rejected, and the log stays open', async ({ log }) => {
    const [, message] = sampleConversation(2) as [Event, Event];
    const { kind, ...rest } = message;
    for (const wrong of [
      { ...rest, conent: 'typo', kind },
      { ...rest, kind: 'Nonsense' },
      { ...rest, source: 'nobody', kind },
      { id: message.id, timestamp: message.timestamp, source: 'user', conent: 'typo', kind: 'MessageEvent' },
    ])
      await assert.rejects(log.append(wrong as unknown as Event), {
        name: 'LogError',
        code: 'invalid_event',
      });
    assert.equal(log.length, 0);
    assert.equal(await log.append(message), 0);
  });

  onLog('what was appended is deeply frozen', async ({ log }) => {
    const message = structuredClone(
      sampleConversation(9).find(({ kind }) => kind === 'MessageEvent'),
    ) as Extract<Event, { kind: 'MessageEvent' }>;
    await log.append(message);
    assert.throws(() => Object.assign(message.llm_message, { role: 'tool' }), TypeError);
    assert.throws(() => (message.llm_message.content as unknown[]).push('more'), TypeError);
    assert.deepEqual(log.at(0), message);
  });

  onLog('a range may count from the end, and the log itself is iterable', async ({ log }) => {
    const events = some(4);
    await log.append(...events);
    assert.deepEqual([...log.read(-2)], [...events.entries()].slice(2));
    assert.deepEqual([...log.read(1, -1)], [...events.entries()].slice(1, 3));
    assert.deepEqual([...log.read(-9, 2)], [...events.entries()].slice(0, 2));
    assert.deepEqual([...log.read(3, 1)], []);
    assert.deepEqual([...log], events);
  });

  onLog('nothing is appended to a closed log, and closing it again does nothing', async ({ log }) => {
    await log.append(...some(1));
    await log.close();
    await log.close();
    await assert.rejects(log.append(...some(2).slice(1)), { name: 'LogError', code: 'closed' });
  });

  onLog('closing waits for the appends that were begun', async ({ log }) => {
    const appended = log.append(...some(2));
    await log.close();
    assert.equal(await appended, 1);
  });

  onLog('what was appended is what is read, also after reopening', async (each) => {
    const events = [...sampleConversation(200), ...some(2)];
    for (const event of events) await each.log.append(event);
    assert.deepEqual(all(each.log), [...events.entries()]);
    await each.log.close();
    const again = await each.reopen();
    if (again === null) return;
    assert.equal(again.length, events.length);
    assert.equal(again.indexOf(events[7]?.id ?? ''), 7);
    assert.deepEqual(all(again), [...events.entries()]);
    await again.close();
  });

  onLog('a reopened log continues behind its last event', async (each) => {
    const events = some(3);
    await each.log.append(...events.slice(0, 2));
    await each.log.close();
    const again = await each.reopen();
    if (again === null) return;
    await assert.rejects(again.append(...events.slice(1, 2)), { code: 'duplicate_id' });
    assert.equal(await again.append(...events.slice(2)), 2);
    assert.deepEqual(all(again), [...events.entries()]);
    await again.close();
  });
}

/** Events of a kind that no version knows, which every log has to keep as they are. */
function some(count: number): readonly Event[] {
  return Array.from({ length: count }, (_, i) =>
    parseEvent(
      JSON.stringify({
        id: `ffffffff-0000-4000-8000-${String(i).padStart(12, '0')}`,
        timestamp: '2026-01-01T00:00:00',
        source: 'user',
        details: { list: [null, 1.5, 'text'], empty: {} },
        kind: 'KindOfTomorrow',
      }),
    ),
  );
}

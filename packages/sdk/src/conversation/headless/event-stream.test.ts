import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { countingClock } from '../../../test-support/random-history.ts';
import { message } from '../../agent/message.ts';
import { type Draft, eventOf } from '../../event/draft.ts';
import { MemoryEventLog } from '../../log/memory-event-log.ts';
import type { Listener } from '../run/recorder.ts';
import { type EventFilter, EventStream } from './event-stream.ts';

const PAUSE: Draft = { source: 'user', kind: 'PauseEvent' };
const said = { ...message('user', 'Mended.'), source: 'agent' } as Draft;

/** A stream over a log in memory with a message of the user, one of the agent and a pause; `add` appends a pause. */
async function streamed(onFault?: (text: string) => void) {
  const log = new MemoryEventLog();
  const listeners = new Set<Listener>();
  const clock = countingClock();
  const append = async (...drafts: readonly Draft[]) => {
    for (const draft of drafts) await log.append(eventOf(draft, null, clock));
  };
  await append(message('user', 'Mend it'), said, PAUSE);
  const subscribe = (listener: Listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const stream = new EventStream({ log, subscribe }, onFault);
  const add = async () => {
    await append(PAUSE);
    const index = log.length - 1;
    for (const { onEvent } of listeners) onEvent?.(log.at(index)!, index);
  };
  return { stream, add, append, listeners };
}

test('events are searched by index, source, kind and text, in either order', async () => {
  const { stream, append } = await streamed();
  await append(PAUSE); // not durable until the listener is called
  for (const [filter, expected] of [
    [{}, [0, 1, 2]],
    [{ startId: -2 }, [0, 1, 2]],
    [{ startId: 1 }, [1, 2]],
    [{ startId: 3 }, []],
    [{ endId: 0 }, [0]],
    [{ endId: 1 }, [0, 1]],
    [{ endId: 9 }, [0, 1, 2]],
    [{ endId: -1 }, []],
    [{ reverse: true }, [2, 1, 0]],
    [{ reverse: true, startId: 1 }, [2, 1]],
    [{ reverse: true, endId: 1, limit: 1 }, [1]],
    [{ limit: 2 }, [0, 1]],
    [{ limit: 0 }, []],
    [{ source: 'user' }, [0, 2]],
    [{ source: 'user', limit: 1, startId: 1 }, [2]],
    [{ source: 'environment' }, []],
    [{ kinds: ['PauseEvent'] }, [2]],
    [{ kinds: [] }, []],
    [{ query: 'mend' }, [0, 1]],
    [{ query: 'MENDED' }, [1]],
    [{ query: 'mend', source: 'agent', kinds: ['MessageEvent'] }, [1]],
  ] as const satisfies readonly (readonly [EventFilter, readonly number[]])[])
    assert.deepEqual(
      [...stream.searchEvents(filter)].map(([number]) => number),
      expected,
      JSON.stringify(filter),
    );
  assert.deepEqual(
    [...stream.searchEvents()].map(([, event]) => event),
    [0, 1, 2].map((number) => stream.getEvent(number)),
  );
});

test('an event is found by its number, and the latest number grows with the log', async () => {
  const { stream, add } = await streamed();
  assert.equal(stream.getLatestEventId(), 2);
  await add();
  assert.equal(stream.getLatestEventId(), 3);
  assert.deepEqual(
    [-1, 0, 1, 3, 4].map((number) => stream.getEvent(number)?.kind),
    [undefined, 'MessageEvent', 'MessageEvent', 'PauseEvent', undefined],
  );
});

test('a subscriber is told of events from its index on, one after another, and of none after it unsubscribes', async () => {
  const { stream, add } = await streamed();
  const told: { readonly [id: string]: number[] } = { now: [], from1: [], before: [], gone: [] };
  for (const [id, options] of [
    ['now', {}],
    ['from1', { from: 1 }],
    ['before', { from: -1 }],
    ['gone', { from: 0 }],
  ] as const)
    stream.subscribe(id, (_, number) => void told[id]?.push(number), options);
  assert.deepEqual(Object.values(told).flat(), []); // never within the call
  assert.deepEqual([stream.unsubscribe('gone'), stream.unsubscribe('gone')], [true, false]);
  await stream.settled();
  await add();
  await add();
  await stream.settled();
  assert.deepEqual(told, { now: [3, 4], from1: [1, 2, 3, 4], before: [0, 1, 2, 3, 4], gone: [] });
});

test('a subscriber that takes its time is told of one event at a time', async () => {
  const { stream, add } = await streamed();
  let inProgress = 0;
  const told: (readonly [number, number])[] = [];
  const slow = async (_: unknown, number: number) => {
    inProgress += 1;
    told.push([number, inProgress]);
    await new Promise(setImmediate);
    inProgress -= 1;
  };
  stream.subscribe('slow', slow, { from: 1 });
  await add();
  await stream.settled();
  assert.deepEqual(
    told,
    [1, 2, 3].map((number) => [number, 1]),
  );
});

test('an id that is in use is refused, and is free again once it is unsubscribed', async () => {
  const { stream } = await streamed();
  const tell = () => undefined;
  stream.subscribe('a', tell);
  assert.throws(() => stream.subscribe('a', tell), { name: 'TypeError', message: /"a"/ });
  stream.unsubscribe('a');
  stream.subscribe('a', tell);
});

test('a subscription that takes the id of an earlier one gets its own events only', async () => {
  const { stream } = await streamed();
  const told: string[] = [];
  stream.subscribe('a', (_, number) => void told.push(`first ${number}`), { from: 0 });
  stream.unsubscribe('a');
  stream.subscribe('a', (_, number) => void told.push(`second ${number}`), { from: 1 });
  await stream.settled();
  assert.deepEqual(told, ['second 1', 'second 2']);
});

test('closing delivers what is pending, then ends all subscriptions and stops listening', async () => {
  const { stream, add, listeners } = await streamed();
  const told: number[] = [];
  const tell = async (_: unknown, number: number) => {
    await new Promise(setImmediate);
    told.push(number);
  };
  stream.subscribe('a', tell, { from: 1 });
  assert.equal(listeners.size, 1);
  await stream.close();
  assert.deepEqual([told, listeners.size, stream.unsubscribe('a')], [[1, 2], 0, false]);
  await add();
  await stream.settled();
  assert.deepEqual(told, [1, 2]);
});

test('a subscriber that throws is reported once and still told; without a handler the report is a process warning', async () => {
  const faults: string[] = [];
  const told: number[] = [];
  const failing = async (_: unknown, number: number) => {
    told.push(number);
    throw new Error('broken');
  };
  const { stream } = await streamed((text) => faults.push(text));
  stream.subscribe('a', failing, { from: 1 });
  await stream.settled();
  assert.deepEqual(told, [1, 2]);
  assert.deepEqual(faults, ['the subscriber "a" threw at event 1: Error: broken']);

  const { stream: bare } = await streamed();
  const warned = once(process, 'warning');
  bare.subscribe('b', failing, { from: 2 });
  const [warning] = (await warned) as [Error];
  assert.equal(warning.message, 'the subscriber "b" threw at event 2: Error: broken');
});

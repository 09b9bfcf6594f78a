import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { countingClock, randomHistory, wordsDraft } from '../../../test-support/random-history.ts';
import { eventOf } from '../../event/draft.ts';
import { ROOT } from '../../event/identity.ts';
import type { Event } from '../../event/kinds.ts';
import { MemoryEventLog } from '../../log/memory-event-log.ts';
import { View } from '../../view/view.ts';
import { branchOf, foldLog, History } from './history.ts';

function told(history: History) {
  const { state, view } = history;
  return { state, events: view.events, open: view.openActions(), messages: view.messages() };
}

test('property: state and view folded one event at a time equal a rebuild from the log at every prefix', async () => {
  await fc.assert(
    fc.asyncProperty(randomHistory, async (events) => {
      const log = new MemoryEventLog();
      const history = new History(log);
      for (const event of events) {
        await log.append(event);
        history.apply(event);
        assert.deepEqual(told(history), told(foldLog(log)));
      }
    }),
    { numRuns: 60 },
  );
});

test('property: the view is the fold of the active branch alone', async () => {
  await fc.assert(
    fc.asyncProperty(randomHistory, async (events) => {
      const log = new MemoryEventLog();
      if (events.length > 0) await log.append(...events);
      const { state, view } = foldLog(log);
      const alone = new View();
      for (const event of branchOf(log, state.leafId)) alone.append(event);
      assert.deepEqual(view.events, alone.events);
      assert.deepEqual(view.openActions(), alone.openActions());
    }),
  );
});

/** Ids have at least eight digits; the tests write the first. */
const idOf = (letter: string) => (letter === ROOT ? ROOT : letter.repeat(8));

/** A log of messages, each given as its id and the id of its parent. */
async function logOf(...links: readonly (readonly [id: string, parent?: string])[]) {
  const log = new MemoryEventLog();
  const event = ([id, parent]: readonly [string, string?]): Event => ({
    ...eventOf(wordsDraft('user', id), parent === undefined ? null : idOf(parent), countingClock()),
    id: idOf(id),
  });
  await log.append(...links.map(event));
  return log;
}
const branch = (log: MemoryEventLog, leaf: string | null) =>
  branchOf(log, leaf === null ? null : idOf(leaf)).map(({ id }) => id[0]);

test('the branch of an event goes from the root to it', async () => {
  const log = await logOf(['a'], ['b', 'a'], ['c', 'a'], ['d', 'b']);
  assert.deepEqual(branch(log, 'd'), ['a', 'b', 'd']);
  assert.deepEqual(branch(log, 'c'), ['a', 'c']);
  assert.deepEqual(branch(log, null), []);
  assert.deepEqual(branch(log, 'e'), []);
});

test('an event without a parent follows the one before it, and one at the root follows none', async () => {
  assert.deepEqual(branch(await logOf(['a'], ['b'], ['c']), 'c'), ['a', 'b', 'c']);
  assert.deepEqual(branch(await logOf(['a'], ['b', ROOT]), 'b'), ['b']);
});

test('a branch ends at an ancestor that is missing, or that is its own descendant', async () => {
  assert.deepEqual(branch(await logOf(['a'], ['b', 'f'], ['c', 'b']), 'c'), ['b', 'c']);
  assert.deepEqual(branch(await logOf(['a', 'b'], ['b', 'a']), 'b'), ['a', 'b']);
});

test('an event whose parent is not HEAD continues the branch of its parent', async () => {
  const log = await logOf(['a'], ['b', 'a'], ['c', 'a'], ['d', ROOT]);
  const viewAfter = (to: number) => foldLog(log, to).view.events.map(({ id }) => id[0]);
  assert.deepEqual([viewAfter(2), viewAfter(3), viewAfter(4)], [['a', 'b'], ['a', 'c'], ['d']]);
});

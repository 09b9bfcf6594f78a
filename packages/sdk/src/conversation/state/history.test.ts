import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  callDraft,
  countingClock,
  observationDraft,
  randomHistory,
  wordsDraft,
} from '../../../test-support/random-history.ts';
import { text, textOf } from '../../event/content.ts';
import { type Draft, eventOf } from '../../event/draft.ts';
import { ROOT } from '../../event/identity.ts';
import type { Event } from '../../event/kinds.ts';
import { MemoryEventLog } from '../../log/memory-event-log.ts';
import { View } from '../../view/view.ts';
import { branchOf, foldLog, History } from './history.ts';
import { stateUpdate } from './state.ts';

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

test('a history that is resumed has the stored state, and its view when it is first read', async () => {
  const log = await logOf(['a'], ['b', 'a'], ['c', 'b']);
  const state = { ...foldLog(log).state, leafId: idOf('b') };
  const stored = foldLog(log, 1).view;
  let reads = 0;
  const resumed = (view: View | null) => {
    const history = new History(log);
    history.resumeFrom(state, () => {
      reads += 1;
      return view;
    });
    return history;
  };
  const restored = resumed(stored);
  assert.deepEqual([restored.state, reads], [state, 0]);
  assert.deepEqual([restored.view, restored.view, reads], [stored, stored, 1]);
  assert.deepEqual(
    resumed(null).view.events.map(({ id }) => id[0]),
    ['a', 'b'],
  );
});

test('HEAD can be moved from outside: state and view follow, until the next event the log does not tell', async () => {
  const log = await logOf(['a'], ['b', 'a'], ['c', 'b']);
  const history = foldLog(log);
  const ids = () => history.view.events.map(({ id }) => id[0]);
  assert.equal(history.isMoved, false);
  history.moveTo(idOf('a'));
  assert.deepEqual([history.isMoved, history.state.leafId, ids()], [true, idOf('a'), ['a']]);
  history.apply({ ...eventOf(wordsDraft('user', 'd'), idOf('a'), countingClock()), id: idOf('d') });
  assert.deepEqual([history.isMoved, history.state.leafId, ids()], [false, idOf('d'), ['a', 'd']]);
  history.moveTo(null);
  assert.deepEqual([history.isMoved, history.state.leafId, ids()], [true, null, []]);
});

test('an update that moves HEAD rebuilds the view, and any other leaves it as it is', async () => {
  const log = await logOf(['a'], ['b', 'a'], ['c', 'b']);
  const history = foldLog(log);
  const { view } = history;
  const told = (key: string, value: unknown) =>
    history.apply(eventOf(stateUpdate(key, value), null, countingClock()));
  told('leaf_event_id', idOf('c'));
  told('execution_status', 'paused');
  assert.equal(history.view, view);
  told('leaf_event_id', idOf('a'));
  assert.deepEqual(
    history.view.events.map(({ id }) => id[0]),
    ['a'],
  );
});

test('an amendment sets what it names and nothing else', () => {
  const history = new History(new MemoryEventLog());
  const before = history.state;
  history.amend({ status: 'paused' });
  assert.deepEqual(history.state, { ...before, status: 'paused' });
});

test('results are rendered as the caller says, also in a view that is rebuilt', async () => {
  const log = new MemoryEventLog();
  const of = (draft: Draft, id: string, parent: string | null): Event => ({
    ...eventOf(draft, parent, countingClock()),
    id: idOf(id),
  });
  await log.append(
    of(wordsDraft('user', 'go'), 'a', null),
    of(callDraft('c', 'r'), 'b', idOf('a')),
    of(observationDraft('c', idOf('b')), 'c', idOf('b')),
  );
  const history = foldLog(log, 3, () => [text('rendered')]);
  const last = () => textOf(history.view.messages().at(-1)?.content ?? []);
  assert.match(last(), /rendered/);
  history.moveTo(idOf('c'));
  assert.match(last(), /rendered/);
});

test('bookkeeping between events without parents is not part of their branch', async () => {
  const log = new MemoryEventLog();
  const drafts = [wordsDraft('user', 'a'), stateUpdate('key', 1), wordsDraft('user', 'b')];
  await log.append(
    ...drafts.map(
      (draft, i): Event => ({ ...eventOf(draft, null, countingClock()), id: idOf('abc'[i] ?? '') }),
    ),
  );
  assert.deepEqual(branch(log, 'c'), ['a', 'c']);
});

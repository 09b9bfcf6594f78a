import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { randomHistory } from '../../../test-support/random-history.ts';
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

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { callDraft, countingClock, wordsDraft } from '../../../test-support/random-history.ts';
import { type Draft, eventOf } from '../../event/draft.ts';
import { MemoryEventLog } from '../../log/memory-event-log.ts';
import { foldLog } from '../state/history.ts';
import { foldFromCheckpoint, saveCheckpoint } from './checkpoint.ts';

/** A log that notes which of its events are read. */
class WatchedLog extends MemoryEventLog {
  readonly seen = new Set<number>();

  override at(index: number) {
    this.seen.add(index);
    return super.at(index);
  }

  override *read(from?: number, to?: number) {
    for (const entry of super.read(from, to)) {
      this.seen.add(entry[0]);
      yield entry;
    }
  }
}

test('opening from a checkpoint reads only the view and what came later, and ends in the same state', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'longhand-checkpoint-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const clock = countingClock();
  const event = (draft: Draft) => eventOf(draft, null, clock);
  const log = new WatchedLog();
  const task = event(wordsDraft('user', 'one'));
  const [second, third] = [event(wordsDraft('agent', 'two')), event(wordsDraft('user', 'three'))];
  await log.append(task, second, third, event(callDraft('call', 'turn')));
  await log.append(
    event({
      source: 'environment',
      forgotten_event_ids: [second.id, third.id],
      summary: 'what was',
      summary_offset: 1,
      llm_response_id: 'condenser',
      kind: 'Condensation',
    }),
  );
  await saveCheckpoint(directory, log, foldLog(log, log.length));
  await log.append(event(wordsDraft('user', 'later')));
  log.seen.clear();
  const history = foldFromCheckpoint(directory, log);
  const { view } = history;
  assert.deepEqual(
    view.events.map(({ kind }) => kind),
    ['MessageEvent', 'CondensationSummaryEvent', 'ActionEvent', 'MessageEvent'],
  );
  assert.equal(view.openActions().length, 1);
  assert.deepEqual([...log.seen].sort(), [0, 3, 5]);
  const whole = foldLog(log, log.length);
  assert.deepEqual([view.events, history.state], [whole.view.events, whole.state]);
});

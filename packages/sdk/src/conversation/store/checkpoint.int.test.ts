import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { callDraft, countingClock, wordsDraft } from '../../../test-support/random-history.ts';
import { type Draft, eventOf } from '../../event/draft.ts';
import { MemoryEventLog } from '../../log/memory-event-log.ts';
import { foldLog } from '../state/history.ts';
import { stateUpdate } from '../state/state.ts';
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

/** A log of a task, a call and a status, its checkpoint as JSON, and the events after a fold from it with a change. */
async function checkpointed(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'longhand-checkpoint-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'checkpoint.json');
  const clock = countingClock();
  const task = eventOf(wordsDraft('user', 'one'), null, clock);
  const call = eventOf(callDraft('call', 'turn'), task.id, clock);
  const log = new WatchedLog();
  await log.append(task, call, eventOf(stateUpdate('execution_status', 'running'), call.id, clock));
  await saveCheckpoint(directory, log, foldLog(log, log.length));
  const json = JSON.parse(readFileSync(file, 'utf8'));
  const fold = (change: object) => {
    writeFileSync(file, JSON.stringify({ ...json, ...change }));
    log.seen.clear();
    const { view, state } = foldFromCheckpoint(directory, log);
    const ids = view.events.map(({ id }) => log.indexOf(id));
    const open = view.openActions().map(({ id }) => log.indexOf(id));
    return { ids, open, state, seen: [...log.seen].sort() };
  };
  return { directory, file, log, json, fold };
}

test('a checkpoint holds the fold: state, view and open calls', async (t) => {
  const { log, json } = await checkpointed(t);
  assert.deepEqual(json, {
    version: 2,
    length: 3,
    last_id: log.at(2)?.id,
    state: foldLog(log, 3).state,
    view: [0, 1],
    open: [1],
    condensation_requested: false,
  });
});

test('a checkpoint that does not match the log, or is damaged, is ignored', async (t) => {
  const { fold, log } = await checkpointed(t);
  const marked = { ...foldLog(log, 3).state, status: 'paused' as const };
  const taken = { ids: [0, 1], open: [1], state: marked, seen: [0, 1] };
  assert.deepEqual(fold({ state: marked }), taken);
  const whole = { ...taken, state: foldLog(log, 3).state, seen: [0, 1, 2] };
  const changes = [
    { version: 1 },
    { length: 2 },
    { length: 4 },
    { last_id: 'missing' },
    { last_id: log.at(1)?.id },
    { prompt_kinds: ['TheirEvent'] },
  ];
  for (const change of changes) assert.deepEqual(fold({ state: marked, ...change }), whole);
  // The state still holds: only the view is made again.
  for (const change of [{ view: [0, 9] }, { view: [0, 3] }, { view: [0, 2] }, { open: [0] }, { open: [3] }]) {
    const { seen: _, ...found } = fold({ state: marked, ...change });
    assert.deepEqual({ ...found, seen: taken.seen }, taken);
  }
});

test('an older checkpoint lacks members of the state, which are then the initial ones', async (t) => {
  const { fold, log } = await checkpointed(t);
  const { activatedSkills: _, ...older } = foldLog(log, 3).state;
  assert.deepEqual(fold({ state: older }).state.activatedSkills, []);
});

test('an open request for condensation survives', async (t) => {
  const { directory, fold, log } = await checkpointed(t);
  fold({ condensation_requested: true });
  assert.equal(foldFromCheckpoint(directory, log).view.condensationRequested, true);
});

test('a log without events has no checkpoint, and a torn one is absent', async (t) => {
  const { directory, file, log } = await checkpointed(t);
  writeFileSync(file, '{"version":2');
  assert.deepEqual(foldFromCheckpoint(directory, log).state, foldLog(log, 3).state);
  rmSync(file);
  const empty = new MemoryEventLog();
  await saveCheckpoint(directory, empty, foldLog(empty, 0));
  assert.equal(existsSync(file), false);
  assert.deepEqual(foldFromCheckpoint(directory, log).view.events.length, 2);
});

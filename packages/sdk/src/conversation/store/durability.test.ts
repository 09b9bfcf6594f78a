import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryDisk } from '../../../test-support/memory-disk.ts';
import { countingClock, wordsDraft } from '../../../test-support/random-history.ts';
import { eventOf } from '../../event/draft.ts';
import { MemoryEventLog } from '../../log/memory-event-log.ts';
import { foldLog } from '../state/history.ts';
import type { State } from '../state/state.ts';
import { BaseStateFile } from './base-state-file.ts';
import { saveCheckpoint } from './checkpoint.ts';

function disk(): MemoryDisk {
  const empty = new MemoryDisk();
  empty.makeFolder('/a');
  empty.calls.length = 0;
  return empty;
}

const state = async (): Promise<State> => foldLog(new MemoryEventLog(), 0).state;
const fail = (text: string) => assert.fail(text);
const WRITTEN_ONCE = ['create', 'write', 'rename'];
const writesOf = ({ calls }: MemoryDisk) => calls.map((call) => call.split(' ')[0]);

test('base_state.json is written, synced and renamed, and then its folder is synced', async () => {
  const it = disk();
  const current = { state: await state(), serialize: () => '{}' };
  await new BaseStateFile('/a', () => current, fail, it).save('power');
  assert.deepEqual(it.calls, [
    'create /a/base_state.json.tmp 600',
    'write /a/base_state.json.tmp',
    'sync in background /a/base_state.json.tmp',
    'rename /a/base_state.json.tmp /a/base_state.json',
    'sync in background /a',
  ]);
});

test('base_state.json is written again only for another state, one write after the other', async () => {
  const it = disk();
  let current = { state: await state(), serialize: () => 'first' };
  const file = new BaseStateFile('/a', () => current, fail, it);
  const saves = [file.save()];
  current = { ...current, serialize: () => 'again' };
  saves.push(file.save());
  current = { state: { ...current.state }, serialize: () => 'second' };
  saves.push(file.save());
  await Promise.all(saves);
  assert.equal(it.read('/a/base_state.json'), 'second');
  assert.deepEqual(writesOf(it), WRITTEN_ONCE.concat(WRITTEN_ONCE));
});

test('base_state.json follows many changes with one write, and syncs nothing', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const it = disk();
  let changes = 0;
  const first = await state();
  const file = new BaseStateFile(
    '/a',
    () => ({ state: { ...first }, serialize: () => String(changes) }),
    fail,
    it,
  );
  for (; changes < 1_000; changes += 1) file.saveSoon();
  assert.deepEqual(it.calls, []);
  t.mock.timers.tick(100);
  await file.save();
  assert.equal(it.read('/a/base_state.json'), '1000');
  assert.deepEqual(writesOf(it), WRITTEN_ONCE.concat(WRITTEN_ONCE));
});

test('nothing is written to base_state.json after the last save, so that another writer may follow', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const it = disk();
  const current = { state: await state(), serialize: () => 'last' };
  const file = new BaseStateFile('/a', () => current, fail, it);
  file.saveSoon();
  await file.save();
  t.mock.timers.tick(1_000);
  await file.save();
  assert.deepEqual(writesOf(it), WRITTEN_ONCE);
});

test('base_state.json that cannot be written is a warning', async () => {
  const it = disk();
  it.beforeCall = () => {
    throw new Error('the disk says no');
  };
  const warnings: string[] = [];
  const current = { state: await state(), serialize: () => '{}' };
  await new BaseStateFile(
    '/a',
    () => current,
    (text) => warnings.push(text),
    it,
  ).save();
  assert.match(warnings.join(), /^base_state\.json .*the disk says no$/);
});

test('checkpoint.json is replaced as a whole and never synced, since the log can rebuild it', async () => {
  const it = disk();
  const log = new MemoryEventLog();
  await saveCheckpoint('/a', log, foldLog(log, 0), it);
  assert.deepEqual(it.calls, []);
  await log.append(eventOf(wordsDraft('user', 'hello'), null, countingClock()));
  await saveCheckpoint('/a', log, foldLog(log, 1), it);
  assert.deepEqual(it.calls, [
    'create /a/checkpoint.json.tmp 600',
    'write /a/checkpoint.json.tmp',
    'rename /a/checkpoint.json.tmp /a/checkpoint.json',
  ]);
});

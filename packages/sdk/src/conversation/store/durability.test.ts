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

test('base_state.json is written, synced and renamed, and then its folder is synced', async () => {
  const it = disk();
  await new BaseStateFile('/a', fail, it).save(await state(), () => '{}', 'power');
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
  const file = new BaseStateFile('/a', fail, it);
  const first = await state();
  await Promise.all([
    file.save(first, () => 'first'),
    file.save(first, () => 'again'),
    file.save({ ...first }, () => 'second'),
  ]);
  assert.equal(it.read('/a/base_state.json'), 'second');
  assert.deepEqual(
    it.calls.map((call) => call.split(' ')[0]),
    ['create', 'write', 'rename', 'create', 'write', 'rename'],
  );
});

test('base_state.json that cannot be written is a warning', async () => {
  const it = disk();
  it.beforeCall = () => {
    throw new Error('the disk says no');
  };
  const warnings: string[] = [];
  await new BaseStateFile('/a', (text) => warnings.push(text), it).save(await state(), () => '{}');
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

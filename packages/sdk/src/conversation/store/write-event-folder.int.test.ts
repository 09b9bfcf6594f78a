import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { countingClock, wordsDraft } from '../../../test-support/random-history.ts';
import { eventOf } from '../../event/draft.ts';
import { FileEventLog } from '../../log/file-event-log.ts';
import { writeEventFolder } from './write-event-folder.ts';

test('every event is written once and in order, however many there are, and the log is free afterwards', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'longhand-write-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const clock = countingClock();
  const events = Array.from({ length: 130 }, (_, i) => eventOf(wordsDraft('user', `${i}`), null, clock));
  await writeEventFolder(directory, events, undefined);
  const log = await FileEventLog.open(directory, { durability: 'process' });
  assert.deepEqual(
    [...log.read()].map(([, event]) => event),
    events,
  );
  await log.close();
});

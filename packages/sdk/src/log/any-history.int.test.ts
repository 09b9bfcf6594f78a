import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { randomHistory } from '../../test-support/random-history.ts';
import { FileEventLog } from './file-event-log.ts';

test('property: any history is read back as it was appended, also after reopening', async () => {
  await fc.assert(
    fc.asyncProperty(randomHistory, async (events) => {
      const directory = mkdtempSync(join(tmpdir(), 'longhand-log-'));
      try {
        const log = await FileEventLog.open(directory, { durability: 'process' });
        for (const event of events) await log.append(event);
        const expected = [...events.entries()];
        assert.deepEqual([...log.read()], expected);
        await log.close();
        const again = await FileEventLog.open(directory, { readOnly: true });
        assert.deepEqual([...again.read()], expected);
        await again.close();
      } finally {
        rmSync(directory, { recursive: true });
      }
    }),
    { numRuns: 30 },
  );
});

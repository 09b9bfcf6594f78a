/** Conversations in every form that was released. They are replayed for ever: an old folder must always load and lead to the same. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { goldenTools } from '../../../test-support/golden-run.ts';
import { replay } from './replay.ts';
import { storedReplaySource } from './replay-source.ts';

const golden = join(import.meta.dirname, 'fixtures');

for (const name of readdirSync(golden)) {
  test(`the conversation of ${name} is replayed byte for byte`, async () => {
    const source = await storedReplaySource(join(golden, name));
    const report = await replay(source, { tools: goldenTools, strict: true });
    assert.deepEqual(report, { reproduced: source.events.length, recorded: source.events.length });
  });
}

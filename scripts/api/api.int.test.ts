import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { readApi } from './api.ts';

test('public names without a doc comment are found: functions, constants, and those of other modules', async () => {
  const fixture = resolve(import.meta.dirname, 'fixtures/index.ts');
  const { undocumented } = await readApi([fixture], resolve(import.meta.dirname, 'fixtures/tsconfig.json'));
  assert.deepEqual(undocumented.map((each) => each.split(' ')[0]).sort(), [
    'UNDOCUMENTED',
    'renamed',
    'undocumented',
  ]);
});

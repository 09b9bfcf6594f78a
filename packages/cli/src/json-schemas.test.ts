import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DIRECTORY, schemaFiles } from './testing/json-schemas.ts';

test('docs/reference/schema says what the code says (else run packages/cli/src/testing/json-schemas.ts)', () => {
  const files = schemaFiles();
  assert.deepEqual(readdirSync(DIRECTORY).sort(), Object.keys(files).sort());
  for (const [name, source] of Object.entries(files))
    assert.deepEqual(JSON.parse(readFileSync(join(DIRECTORY, name), 'utf8')), JSON.parse(source), name);
});

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseEvent } from '@longhand/sdk';
import { DIRECTORY, instanceSchema, OWN_LINES, schemaFiles } from '../test-support/json-schemas.ts';
import { readInstance } from './batch/instance.ts';

test('docs/reference/schema says what the code says (else run packages/cli/test-support/json-schemas.ts)', () => {
  const files = schemaFiles();
  assert.deepEqual(readdirSync(DIRECTORY).sort(), Object.keys(files).sort());
  for (const [name, source] of Object.entries(files))
    assert.deepEqual(JSON.parse(readFileSync(join(DIRECTORY, name), 'utf8')), JSON.parse(source), name);
});

/** The lines in the first ```json block of a page. */
function linesIn(page: string): string[] {
  const source = readFileSync(join(DIRECTORY, '../..', page), 'utf8');
  const [, block = ''] = /```json\n([^`]*)```/.exec(source) ?? [];
  return block.trim().split('\n');
}

test('the examples in docs/reference/json-lines.md are such lines', () => {
  const kinds = linesIn('reference/json-lines.md').map((line) => {
    const shown = line.replaceAll('1a2b3c4d-...', '1a2b3c4d-0000-4000-8000-000000000000');
    const { type } = JSON.parse(shown);
    if (type === undefined) return parseEvent(shown, { strict: true }).kind;
    OWN_LINES[type as keyof typeof OWN_LINES].strict().parse(JSON.parse(shown));
    return type;
  });
  assert.deepEqual(kinds, ['conversation', 'SystemPromptEvent', 'MessageEvent', 'outcome']);
});

test('the examples in docs/batch.md are instances', () => {
  const lines = linesIn('batch.md');
  for (const line of lines) instanceSchema.parse(JSON.parse(line));
  assert.deepEqual(
    lines.map((line) => readInstance(line, '/').id),
    ['me__tool-12', 'hello'],
  );
});

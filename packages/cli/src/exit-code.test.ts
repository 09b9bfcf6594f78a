import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { EXIT } from './exit-code.ts';

const DOCS = join(import.meta.dirname, '../../../docs');

function codesIn(page: string, heading: string): number[] {
  const source = readFileSync(join(DOCS, page), 'utf8');
  const table = source.slice(source.indexOf(heading));
  return [...table.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
}

test('docs/reference/command-line.md has every exit code, and docs/batch.md none that is not there', () => {
  const all: readonly number[] = Object.values(EXIT);
  assert.deepEqual(codesIn('reference/command-line.md', '## Exit codes'), all);
  const ofBatch = codesIn('batch.md', '| exit code |');
  assert.deepEqual(
    ofBatch.filter((code) => !all.includes(code)),
    [],
  );
  assert.equal(ofBatch.length, 5);
});

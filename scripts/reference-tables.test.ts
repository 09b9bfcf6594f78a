import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { referencePages } from './reference-tables.ts';

test('the tables of commands and flags in the reference pages are those of the flag table: npm run docs writes them', async () => {
  for (const [path, page] of await referencePages()) {
    assert.match(page, /<!-- table: /, path);
    assert.equal(readFileSync(resolve(import.meta.dirname, '..', path), 'utf8'), page);
  }
});

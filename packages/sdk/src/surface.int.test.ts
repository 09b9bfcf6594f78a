/** The public names of the SDK, against the list that is reviewed: docs/reference/sdk-surface.txt. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const LIST = join(import.meta.dirname, '../../../docs/reference/sdk-surface.txt');
const source = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8');

/** The names that a module exports, each written out. */
function namesIn(file: string): readonly string[] {
  const statements = source(file).matchAll(/^export\s+(?:type\s+)?\{([^}]*)\}\s+from\s+'[^']+';/gm);
  return [...statements].flatMap(([, list = '']) =>
    list
      .split(',')
      .map((name) => name.trim().replace(/^type\s+/, ''))
      .filter((name) => name !== ''),
  );
}

test('every public name is in docs/reference/sdk-surface.txt, in order, and no other', () => {
  const names = namesIn('index.ts').toSorted();
  // After a change that is meant: UPDATE_SURFACE=1 node --test THIS_FILE
  if (process.env['UPDATE_SURFACE'] !== undefined) writeFileSync(LIST, `${names.join('\n')}\n`);
  assert.deepEqual(readFileSync(LIST, 'utf8').trimEnd().split('\n'), names);
});

test('names are exported one by one, and no name is both public and internal', () => {
  for (const file of ['index.ts', 'internal.ts']) assert.doesNotMatch(source(file), /export \*/);
  const internal = new Set(namesIn('internal.ts'));
  assert.deepEqual(
    namesIn('index.ts').filter((name) => internal.has(name)),
    [],
  );
});

test('what the module exports at run time is among the names that are listed', async () => {
  const listed = new Set(namesIn('index.ts'));
  const exported = Object.keys(await import('./index.ts'));
  assert.ok(exported.length > 40);
  assert.deepEqual(
    exported.filter((name) => !listed.has(name)),
    [],
  );
});

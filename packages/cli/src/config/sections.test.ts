import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Setting } from '@longhand/sdk/internal';
import { readSections } from './read-sections.ts';
import { SECTIONS, type Section } from './sections.ts';

/** A right value of each kind, as a file has it. */
function example({ kind }: Setting): unknown {
  if (typeof kind !== 'string') return kind[0];
  switch (kind) {
    case 'text':
    case 'secret':
      return 'x';
    case 'switch':
      return true;
    case 'list of texts':
      return ['a'];
    case 'table':
      return { a: 1 };
    case 'table of texts':
      return { a: 'b' };
    case 'table of switches':
      return { a: false };
    default:
      return 2;
  }
}

for (const [name, { keys }] of Object.entries<Section>(SECTIONS)) {
  if (keys === undefined) continue;
  test(`[${name}]: each key takes a value of its kind, and no other`, () => {
    for (const [key, setting] of Object.entries(keys)) {
      const right = readSections({ [name]: { [key]: example(setting) } }, '', 'c.toml');
      assert.deepEqual([right.warnings, right.ignored], [[], []], key);
      assert.deepEqual(Object.keys(right.values[name as 'core']), [key]);
      const wrong = () => readSections({ [name]: { [key]: new Date(0) } }, '', 'c.toml');
      assert.throws(wrong, {
        name: 'UsageError',
        message: new RegExp(`^c\\.toml: ${key} must be .*, not a table or date$`),
      });
    }
  });
}

test('keys of V0 without effect here are not reported as unknown', () => {
  for (const [name, { ignored = [] }] of Object.entries<Section>(SECTIONS)) {
    if (ignored.length === 0) continue;
    const content = Object.fromEntries(ignored.map((key) => [key, 1]));
    const read = readSections({ [name]: content }, '', 'c.toml');
    assert.deepEqual(read.warnings, []);
    assert.deepEqual(
      read.ignored,
      ignored.map((key) => `[${name}] ${key}`),
    );
  }
});

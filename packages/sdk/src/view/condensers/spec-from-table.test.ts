import assert from 'node:assert/strict';
import { test } from 'node:test';
import { condenserSpec } from './spec-from-table.ts';

const READ: readonly (readonly [table: { readonly [key: string]: unknown }, spec: object | undefined])[] = [
  [{}, undefined],
  [{ type: 'noop' }, { type: 'noop' }],
  [
    { type: 'llm', max_size: 100, keep_first: 0, minimum_progress: 0, llm_config: 'cheap' },
    { type: 'llm', maxSize: 100, keepFirst: 0, minimumProgress: 0 },
  ],
  [
    { type: 'pipeline', condensers: [{ type: 'noop' }, { type: 'recent', max_events: 9 }] },
    { type: 'pipeline', condensers: [{ type: 'noop' }, { type: 'recent', maxEvents: 9 }] },
  ],
];

for (const [table, spec] of READ)
  test(`valid table: ${JSON.stringify(table)}`, () => {
    assert.deepEqual(condenserSpec(table, '[condenser]'), spec);
  });

const REFUSED: readonly (readonly [table: { readonly [key: string]: unknown }, message: RegExp])[] = [
  [{ type: 'nope' }, /^\[condenser\] type must be one of noop, .*, not "nope"$/],
  [{ type: 1 }, /^\[condenser\] type must be one of .*, not number$/],
  [{ type: 'llm', max_sise: 1 }, /^\[condenser\]: unknown key "max_sise"; did you mean "max_size"\?$/],
  [{ type: 'llm', entirely_other: 1 }, /^\[condenser\]: unknown key "entirely_other"$/],
  [{ type: 'llm', max_size: -1 }, /^\[condenser\] max_size must be a number$/],
  [{ type: 'llm', max_size: '9' }, /^\[condenser\] max_size must be a number$/],
  [{ type: 'llm', max_size: Number.NaN }, /^\[condenser\] max_size must be a number$/],
  [
    { type: 'omit_outputs', turns: 0 },
    /^\[condenser\] omit_outputs: turns must be a whole number from 1 on$/,
  ],
  [{ type: 'pipeline' }, /^\[condenser\] condensers must be a list of tables, each with a type$/],
  [{ type: 'pipeline', condensers: [{ turns: 2 }] }, /^\[condenser\] condensers\[0\] has no type$/],
  [
    { type: 'pipeline', condensers: [{ type: 'llm', x: 2 }] },
    /^\[condenser\] condensers\[0\]: unknown key "x"/,
  ],
];

for (const [table, message] of REFUSED)
  test(`invalid table: ${JSON.stringify(table)}`, () => {
    assert.throws(() => condenserSpec(table, '[condenser]'), { name: 'TypeError', message });
  });

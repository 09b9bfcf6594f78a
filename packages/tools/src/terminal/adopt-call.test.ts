import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adoptCall } from './adopt-call.ts';

for (const [name, args, expected] of [
  ['execute_bash', { command: 'ls' }, { command: 'ls' }],
  ['git', { command: 'status', x: 1 }, { command: 'git status' }],
  ['git', { command: 'git log' }, { command: 'git log' }],
  ['reset', {}, { command: 'reset' }],
  ['pwd', { summary: 's' }, { summary: 's', command: 'pwd' }],
  ['pwd', { path: '/' }, undefined],
  ['grep', { pattern: "it's" }, { command: `grep -rnI -e 'it'\\''s' -- '.'` }],
  [
    'grep',
    { pattern: 'a', include: '*.ts', path: 'src' },
    { command: `grep -rnI --include='*.ts' -e 'a' -- 'src'` },
  ],
  ['grep', { query: 'a' }, undefined],
  ['fly', {}, undefined],
] as const) {
  test(`a call of ${name} with ${JSON.stringify(args)} is ${expected === undefined ? 'not for the terminal' : `the command ${expected.command}`}`, () =>
    assert.deepEqual(adoptCall({ name, args }), expected));
}

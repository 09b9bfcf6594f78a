import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adoptCall, inferCommand } from './call-repair.ts';

test('a call of str_replace_editor is for the editor, with its arguments unchanged', () => {
  assert.deepEqual(adoptCall({ name: 'str_replace_editor', args: { path: '/a' } }), { path: '/a' });
  assert.equal(adoptCall({ name: 'edit', args: {} }), undefined);
});

test('a command that was left out is inferred from the arguments', () => {
  const inferred = (args: object) => inferCommand({ ...args })['command'];
  assert.equal(inferred({ path: '/a', old_str: 'x' }), 'str_replace');
  assert.equal(inferred({ path: '/a', insert_line: 1 }), 'insert');
  assert.equal(inferred({ path: '/a', file_text: '' }), 'create');
  assert.equal(inferred({ path: '/a' }), 'view');
  assert.equal(inferred({ path: '/a', old_str: 'x', command: 'view' }), 'view');
  assert.equal(inferred({}), undefined);
});

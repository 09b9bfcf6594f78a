import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  inferEditorCommand,
  normalizeName,
  parseArguments,
  repairRiskName,
  repairTypes,
  withoutNulls,
} from './repair.ts';

const isTool = (name: string) => ['terminal', 'file_editor'].includes(name);

test('property: arguments that are right pass unchanged', () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.string(),
        fc.jsonValue().filter((value) => value !== null),
      ),
      (args) => {
        const source = JSON.stringify(args);
        assert.deepEqual(parseArguments(source), JSON.parse(source));
        assert.deepEqual(repairTypes(args, {}), { ...args });
      },
    ),
  );
});

test('W14: raw line breaks in strings are escaped, those between tokens are not', () => {
  assert.deepEqual(parseArguments('{\n  "command": "a\nb\tc"\n}'), { command: 'a\nb\tc' });
});

test('what is no object is no arguments, nulls may be left out, what is no JSON is refused', () => {
  assert.deepEqual(parseArguments('[1]'), {});
  assert.deepEqual(parseArguments(''), {});
  assert.deepEqual(parseArguments('{"a":null,"b":1}'), { a: null, b: 1 });
  assert.deepEqual(withoutNulls({ a: null, b: 1 }), { b: 1 });
  assert.throws(() => parseArguments('{"command": "ls'), SyntaxError);
});

for (const [call, expected] of [
  [
    { name: 'terminal</function', args: {} },
    { name: 'terminal', args: {} },
  ],
  [
    { name: 'execute_bash', args: { command: 'ls' } },
    { name: 'terminal', args: { command: 'ls' } },
  ],
  [
    { name: 'git', args: { command: 'status', x: 1 } },
    { name: 'terminal', args: { command: 'git status' } },
  ],
  [
    { name: 'git', args: { command: 'git log' } },
    { name: 'terminal', args: { command: 'git log' } },
  ],
  [
    { name: 'pwd', args: { summary: 's' } },
    { name: 'terminal', args: { summary: 's', command: 'pwd' } },
  ],
  [
    { name: 'grep', args: { pattern: "it's" } },
    { name: 'terminal', args: { command: `grep -rnI -e 'it'\\''s' -- '.'` } },
  ],
  [
    { name: 'str_replace_editor', args: { path: '/a' } },
    { name: 'file_editor', args: { path: '/a' } },
  ],
  [
    { name: 'fly', args: {} },
    { name: 'fly', args: {} },
  ],
] as const) {
  test(`a call of ${call.name} means ${expected.name}`, () =>
    assert.deepEqual(normalizeName(call, isTool), expected));
}

test("the editor's command is told by its parameters", () => {
  const infer = (args: object) => inferEditorCommand({ name: 'file_editor', args: { ...args } })['command'];
  assert.equal(infer({ path: '/a', old_str: 'x' }), 'str_replace');
  assert.equal(infer({ path: '/a', insert_line: 1 }), 'insert');
  assert.equal(infer({ path: '/a', file_text: '' }), 'create');
  assert.equal(infer({ path: '/a' }), 'view');
  assert.equal(infer({}), undefined);
});

test('lists and objects in strings are read, lists of strings for a text are joined', () => {
  const properties = { list: { type: 'array' }, words: { type: 'string' } };
  assert.deepEqual(repairTypes({ list: '[1, 2] </p>', words: ['a', 'b'] }, properties), {
    list: [1, 2],
    words: 'a\nb',
  });
  assert.deepEqual(repairTypes({ list: 'no list' }, properties), { list: 'no list' });
});

test('a risk under another name is understood', () => {
  assert.deepEqual(
    repairRiskName({ risk_level: 'low' }, () => false),
    { security_risk: 'LOW' },
  );
});

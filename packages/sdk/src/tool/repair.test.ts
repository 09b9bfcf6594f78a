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

test('raw line breaks in strings are escaped, those between tokens are not', () => {
  assert.deepEqual(parseArguments('{\n  "command": "a\nb\tc"\n}'), { command: 'a\nb\tc' });
});

test('a backslash at the end of a raw line stays one', () => {
  assert.deepEqual(parseArguments('{"command": "make \\\n  all \\"x\\""}'), {
    command: 'make \\\n  all "x"',
  });
});

test('property: raw control characters mean themselves', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', ' ', '\n', '\t', '\r', '\u0001', '"', '\\', '{', ','),
  });
  fc.assert(
    fc.property(fc.dictionary(text, text), (args) => {
      const raw = JSON.stringify(args).replace(/\\\\|\\n|\\t/g, (written) =>
        written === '\\n' ? '\n' : written === '\\t' ? '\t' : written,
      );
      assert.deepEqual(parseArguments(raw), { ...args });
    }),
  );
});

test('arguments that were cut off are refused in a time that grows with their length', () => {
  // With the square of it, this would take minutes.
  assert.throws(() => parseArguments(`{"file_text": "\n${'\\"'.repeat(400_000)}`), SyntaxError);
});

test('what is nested too deep to be stored is refused', () => {
  const list = (levels: number) => `{"a": ${'['.repeat(levels)}${']'.repeat(levels)}}`;
  assert.deepEqual(Object.keys(parseArguments(list(400))), ['a']);
  assert.throws(() => parseArguments(list(20_000)), /a is nested more than 500 levels deep/);
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

test("V0: the editor's command is told by its parameters under the name str_replace_editor too, and under no other", () => {
  const infer = (name: string) => inferEditorCommand({ name, args: { path: '/a', old_str: 'x' } })['command'];
  assert.deepEqual(['str_replace_editor', 'file_editor', 'edit'].map(infer), [
    'str_replace',
    'str_replace',
    undefined,
  ]);
});

test('"true" and "5" are a boolean and a number where the schema says so, and nowhere else', () => {
  const types = {
    b: 'boolean',
    i: 'integer',
    n: 'number',
    s: 'string',
    either: ['integer', 'null'],
    text: ['number', 'string'],
  };
  const properties = Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { type }]));
  const repair = (args: object) => repairTypes({ ...args }, properties);
  assert.deepEqual(repair({ b: 'true', i: '5', n: '-1.5e3', s: '5', either: '7', text: '8', unknown: '9' }), {
    ...{ b: true, i: 5, n: -1500, s: '5', either: 7, text: '8', unknown: '9' },
  });
  assert.deepEqual(repair({ b: 'False', i: ' 5 ', n: '0' }), { b: false, i: 5, n: 0 });
  for (const wrong of [
    { b: 'yes' },
    { b: '1' },
    { b: '' },
    { i: '5.5' },
    { i: '' },
    { i: 'five' },
    { i: '9'.repeat(30) },
    { n: 'NaN' },
    { n: '0x10' },
    { n: '' },
  ]) {
    assert.deepEqual(repair(wrong), wrong);
  }
  // A parameter that is called as what every object has is not in the schema by that.
  assert.deepEqual(repairTypes({ constructor: '5', toString: 'true' }, {}), {
    constructor: '5',
    toString: 'true',
  });
});

test('a number that none can hold stays the text that it is', () => {
  const properties = { share: { type: 'number' }, id: { type: 'integer' } };
  const args = { share: '1e999', id: '123456789012345678901' };
  assert.deepEqual(repairTypes(args, properties), args);
});

test('property: what is of its type already passes unchanged, a text for a text too', () => {
  const value = fc.oneof(
    fc.tuple(fc.constant('string'), fc.string()),
    fc.tuple(fc.constant('boolean'), fc.boolean()),
    fc.tuple(fc.constant('number'), fc.double({ noNaN: true })),
    fc.tuple(fc.constant('array'), fc.array(fc.string())),
  );
  fc.assert(
    fc.property(value, ([type, given]) => {
      assert.deepEqual(repairTypes({ a: given }, { a: { type } }), { a: given });
    }),
  );
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

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import * as z from 'zod';
import { defineTool } from './define-tool.ts';
import {
  completeArguments,
  normalizeName,
  parseArguments,
  repairRiskName,
  repairTypes,
  withoutNulls,
} from './repair.ts';
import { toolSetOf } from './tool-set.ts';

test('property: valid arguments pass unchanged', () => {
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

test('a backslash before a raw line break is kept', () => {
  assert.deepEqual(parseArguments('{"command": "make \\\n  all \\"x\\""}'), {
    command: 'make \\\n  all "x"',
  });
});

test('property: raw control characters are kept', () => {
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

test('truncated arguments are rejected in linear time', () => {
  // In quadratic time this would take minutes.
  assert.throws(() => parseArguments(`{"file_text": "\n${'\\"'.repeat(400_000)}`), SyntaxError);
});

test('arguments that are nested too deeply to be stored are rejected', () => {
  const list = (levels: number) => `{"a": ${'['.repeat(levels)}${']'.repeat(levels)}}`;
  assert.deepEqual(Object.keys(parseArguments(list(400))), ['a']);
  assert.throws(() => parseArguments(list(20_000)), /a is nested more than 500 levels deep/);
});

test('a value that is not an object counts as no arguments, nulls can be removed, and invalid JSON is rejected', () => {
  assert.deepEqual(parseArguments('[1]'), {});
  assert.deepEqual(parseArguments(''), {});
  assert.deepEqual(parseArguments('{"a":null,"b":1}'), { a: null, b: 1 });
  assert.deepEqual(withoutNulls({ a: null, b: 1 }), { b: 1 });
  assert.throws(() => parseArguments('{"command": "ls'), SyntaxError);
});

const echo = defineTool({
  name: 'echo',
  description: 'x',
  input: z.object({ text: z.string() }),
  adoptCall: ({ name, args }) => (name === 'say' ? { text: args['words'] } : undefined),
  completeArguments: (args) => ({ text: 'silence', ...args }),
  run: () => '',
});
const broken = defineTool({
  ...{ name: 'broken', description: 'x', input: z.object({}), run: () => '' },
  adoptCall: () => {
    throw new Error('a fault of the tool');
  },
  completeArguments: () => {
    throw new Error('a fault of the tool');
  },
});
const tools = toolSetOf([broken, echo]);

for (const [called, args, expected] of [
  ['echo', { a: 1 }, { name: 'echo', args: { a: 1 } }],
  ['echo</function', { a: 1 }, { name: 'echo', args: { a: 1 } }],
  ['say', { words: 'a' }, { name: 'echo', args: { text: 'a' } }],
  ['say</function', { words: 'a' }, { name: 'echo', args: { text: 'a' } }],
  ['fly', {}, { name: 'fly', args: {} }],
] as const) {
  test(`a call of ${called} becomes a call of ${expected.name}, as its tool decides`, () =>
    assert.deepEqual(normalizeName({ name: called, args }, tools), expected));
}

test('a tool completes its arguments; if that fails, they stay unchanged', () => {
  assert.deepEqual(completeArguments(echo, {}), { text: 'silence' });
  assert.deepEqual(completeArguments(broken, { a: 1 }), { a: 1 });
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
  // An inherited property name is not a parameter of the schema.
  assert.deepEqual(repairTypes({ constructor: '5', toString: 'true' }, {}), {
    constructor: '5',
    toString: 'true',
  });
});

test('a number that cannot be represented stays text', () => {
  const properties = { share: { type: 'number' }, id: { type: 'integer' } };
  const args = { share: '1e999', id: '123456789012345678901' };
  assert.deepEqual(repairTypes(args, properties), args);
});

test('property: values that already have their type pass unchanged, strings too', () => {
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

test('the risk is accepted under similar names', () => {
  assert.deepEqual(
    repairRiskName({ risk_level: 'low' }, () => false),
    { security_risk: 'LOW' },
  );
});

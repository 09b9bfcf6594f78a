import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { type Literal, parseCalls } from './call-syntax.ts';

const plain = (code: string) =>
  parseCalls(code).map(({ name, positional, named }) => ({ name, positional, named }));

test('calls with positional and named literals are found in the text that models write around them', () => {
  assert.deepEqual(
    plain(
      'I will do this:\n```python\n# first (not a call): click("no")\ngoto("http://x/?a=(1)")  # go\nclick("a12", button=\'right\', modifiers=["Shift", \'Alt\'],)\n```',
    ),
    [
      { name: 'goto', positional: ['http://x/?a=(1)'], named: {} },
      { name: 'click', positional: ['a12'], named: { button: 'right', modifiers: ['Shift', 'Alt'] } },
    ],
  );
  assert.deepEqual(plain('a(1); b(-2.5)\tc(1e3, .5, 1_000)'), [
    { name: 'a', positional: [1], named: {} },
    { name: 'b', positional: [-2.5], named: {} },
    { name: 'c', positional: [1_000, 0.5, 1_000], named: {} },
  ]);
  assert.deepEqual(plain('a(True, False, None, {"k": [1, (2, 3), (4)]}, ())')[0]?.positional, [
    true,
    false,
    null,
    { k: [1, [2, 3], 4] },
    [],
  ]);
  assert.deepEqual(plain('# nothing'), []);
});

test('strings as in Python: escapes, raw, triple, side by side', () => {
  const value = (code: string) => plain(`f(${code})`)[0]?.positional[0];
  assert.equal(value(String.raw`"a\n\t\"\'\\\x41\u00e9\U0001F600\q"`), 'a\n\t"\'\\Aé😀\\q');
  assert.equal(value(String.raw`r"\n"`), '\\n');
  assert.equal(value('"""two\nlines "quoted" """'), 'two\nlines "quoted" ');
  assert.equal(value('"one, " \'two\'\n"three"'), 'one, twothree');
  assert.equal(value('"# no comment"'), '# no comment');
  assert.equal(value(String.raw`"\0\101\1012"`), '\0AA2');
  assert.equal(value('"two\nlines"'), 'two\nlines', 'a line break that a model escaped once too few');
});

test('numbers as in Python: bases, underscores, signs', () => {
  assert.deepEqual(
    plain('f(0x1F, 0o17, 0b1_0, 1_000.5, 1.e3, - 2, +3)')[0]?.positional,
    [31, 15, 2, 1000.5, 1000, -2, 3],
  );
});

test('anything but a literal is refused with its line and column; nothing is evaluated', () => {
  for (const [code, said] of [
    ['f(x)', /Line 1, column 3: "x" stands where a literal should/],
    ['f("a" + "b")', /column 7: "\)" is missing before "\+"/],
    ['f(1)\nf(__import__("os").system("ls"))', /Line 2, column 3: "__import__"/],
    ['f("a)', /column 3: this string is not closed/],
    ['f(a=1, 2)', /an argument without a name stands after one with a name/],
    ['f(a=1, a=2)', /"a" is given twice/],
    ['f(012)', /column 3: "0" stands where a literal should/],
    ['f(1e400)', /this number is too large/],
    [String.raw`f("C:\Users")`, /column 3: "\\U" does not begin a complete escape/],
    [String.raw`f("\N{BULLET}")`, /"\\N" is not understood: write the character itself/],
    ['f({1: 2})', /a key has to be a string/],
    ['f([1, 2)', /"\]" is missing before "\)"/],
    ['while True:\n  click("e1")', /"while" is not understood/],
    ['if True:\n  click("e1")', /"if" is not understood/],
    ['f(f"{x}")', /"f" stands where a literal should/],
  ] as const) {
    assert.throws(() => parseCalls(code), said, code);
  }
});

const literal = fc.letrec<{ value: Literal }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string({ unit: 'grapheme' }),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }).map((n) => n + 0),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      fc.string().filter((key) => key !== '__proto__'),
      tie('value'),
      { maxKeys: 3, noNullPrototype: true },
    ),
  ),
})).value;

/** As Python's `repr` would, strings as JSON, whose escapes are Python's. */
function written(value: Literal): string {
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (value === null) return 'None';
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return `[${value.map(written).join(', ')}]`;
  return `{${Object.entries(value).map(([key, of]) => `${JSON.stringify(key)}: ${written(of)}`)}}`;
}

test('every written literal is read back unchanged', () => {
  fc.assert(
    fc.property(fc.array(literal, { maxLength: 4 }), (args) => {
      const [call] = parseCalls(`do(${args.map(written).join(', ')})`);
      assert.deepEqual(call?.positional, args.map(normal));
    }),
  );
});

/** There is one zero. */
function normal(value: Literal): Literal {
  if (typeof value === 'number') return value === 0 ? 0 : value;
  if (Array.isArray(value)) return value.map(normal);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, normal(of as Literal)]));
}

test('any text is parsed or refused, at once', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'ab("\')[]{}:,=#\\\n 1.-r'), maxLength: 60 }),
      (code) => {
        try {
          parseCalls(code);
        } catch (error) {
          assert.equal((error as Error).name, 'ToolError');
        }
      },
    ),
  );
});

test('odd names are kept, and endless nesting is refused', () => {
  const [call] = plain('f(__proto__={"__proto__": 1})');
  assert.deepEqual(Object.entries(call?.named ?? {}), [['__proto__', JSON.parse('{"__proto__": 1}')]]);
  for (const open of ['[', '(', '{"a": '])
    assert.throws(
      () => parseCalls(`f(${open.repeat(50_000)}`),
      /^ToolError: Line 1, .* nested more than 100 levels/,
    );
  assert.equal(plain(`f(${'['.repeat(90)}${']'.repeat(90)}, ${'['.repeat(90)}${']'.repeat(90)})`).length, 1);
});

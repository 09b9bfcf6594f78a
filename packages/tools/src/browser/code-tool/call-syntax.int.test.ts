import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { type Call, parseCalls } from './call-syntax.ts';

/** Line and column, both from 1. */
type Place = readonly [line: number, column: number];

type Answer =
  | { readonly verdict: 'refused' }
  | { readonly verdict: 'not literal'; readonly from: Place; readonly to: Place }
  | { readonly verdict: 'calls'; readonly calls: readonly Omit<Call, 'source'>[] };

const python = ['python3', '/usr/bin/python3'].find(
  (each) => spawnSync(each, ['-c', 'import ast; ast.Constant.kind']).status === 0,
);

/** CPython's verdict on programs, one after the other. */
function openOracle(executable: string) {
  const process: ChildProcessWithoutNullStreams = spawn(executable, ['-u', ORACLE]);
  process.stderr.pipe(globalThis.process.stderr);
  const lines = createInterface(process.stdout)[Symbol.asyncIterator]();
  return {
    ask: async (code: string): Promise<Answer> => {
      process.stdin.write(
        `${JSON.stringify(code).replaceAll(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`,
      );
      const { value, done } = await lines.next();
      assert.ok(!done, 'Python ended');
      return JSON.parse(value) as Answer;
    },
    close: () => process.stdin.end(),
  };
}

const RUNS = 1_000;
const ORACLE = join(import.meta.dirname, '../../../test-support/calls_oracle.py');

const oneOf = (...texts: readonly string[]) => fc.constantFrom(...texts);
const joined = (...parts: readonly fc.Arbitrary<string>[]) => fc.tuple(...parts).map((all) => all.join(''));

/** What may stand between two tokens inside of parentheses. */
const blank = fc.oneof(
  { weight: 6, arbitrary: fc.constant('') },
  oneOf(' ', '\n', '\n    ', '\t', ' \\\n', '# a "comment", f(1)\n', '\f'),
);

const escapes = oneOf(
  ...['\\n', '\\t', '\\\\', "\\'", '\\"', '\\a', '\\b', '\\f', '\\v', '\\r', '\\\n'],
  ...['\\0', '\\7', '\\12', '\\101', '\\1012', '\\x41', '\\xe9', '\\u00e9', '\\U0001F600', '\\ud83d'],
  ...['\\q', '\\8', '\\(', '\\x4', '\\xzz', '\\u12', '\\U00110000'],
);
const letter = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }) },
  oneOf('(', ')', ',', '#', ' ', 'click(', '{x}', '"', "'", '""', "''", '\n', 'é', '😀'),
  escapes,
);
const prefix = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  oneOf('r', 'R', 'u', 'U', 'b', 'B', 'rb', 'bR', 'f', 'F', 'rf', 'Fr', 'ur', 'x'),
);
const quoted = fc
  .tuple(prefix, oneOf('"', "'", '"""', "'''"), fc.array(letter, { maxLength: 6 }))
  .map(([before, quote, letters]) => `${before}${quote}${letters.join('')}${quote}`);
const string = fc.oneof(
  { weight: 4, arbitrary: quoted },
  fc.array(joined(quoted, blank), { minLength: 2, maxLength: 3 }).map((all) => all.join('')),
);
const number = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  oneOf(
    '0',
    '00',
    '0_0',
    '1_000',
    '0x1F',
    '0Xdead_beef',
    '0o17',
    '0b101',
    '0b_1',
    '1.',
    '.5',
    '1e3',
    '1.e5',
    '1.e-5',
  ),
  oneOf(
    '1E+3',
    '1_0.0_1e1_0',
    '007',
    '08',
    '1__0',
    '1_',
    '_1',
    '0x',
    '0o8',
    '0b2',
    '1e',
    '1j',
    '.5J',
    '1if',
    '1.2.3',
  ),
  oneOf('123456789012345678901234567890', '1e400', '- 1', '+ 1', '--1', '~1', '-True', '-0', '1 2'),
);
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 4, arbitrary: string },
    { weight: 3, arbitrary: number },
    oneOf('True', 'False', 'None'),
    oneOf(
      'x',
      'x.y',
      'g()',
      'a + "b"',
      'not 1',
      'lambda: 1',
      '...',
      '[x for x in y]',
      '"a" if b else "c"',
      'f"{x}"',
    ),
    series('[', ']', tie('value')),
    series('(', ')', tie('value')),
    series('{', '}', joined(string, blank, fc.constant(':'), blank, tie('value'))),
    series('{', '}', tie('value')),
  ),
}));

function series(open: string, close: string, item: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const padded = joined(blank, item, blank);
  return fc
    .tuple(fc.array(padded, { maxLength: 3 }), oneOf('', '', '', ',', ', ,'), blank)
    .map(([items, end, space]) => `${open}${items.join(',')}${end}${space}${close}`);
}

const keyword = joined(
  oneOf('a', 'b', 'value', '__proto__'),
  blank,
  oneOf('=', '=', '=', ':=', '=='),
  blank,
  value,
);
const argument = fc.oneof(
  { weight: 6, arbitrary: value },
  { weight: 3, arbitrary: keyword },
  oneOf('*[1]', '**{"a": 1}', ''),
);
const call = series('f(', ')', argument);

/** A letter more, less or another one, somewhere inside of the call. */
const damaged = fc
  .tuple(call, fc.nat(), oneOf('', ...'"\'()[]{},:=\\\n#0_x .'), fc.boolean())
  .map(([text, at, put, replaces]) => {
    const start = 2 + (at % Math.max(1, text.length - 3));
    return text.slice(0, start) + put + text.slice(start + (replaces ? 1 : 0));
  });

/** The number that JSON makes of what Python has written. */
const plain = (calls: readonly Omit<Call, 'source'>[]) =>
  calls.map(
    ({ name, positional, named }) => JSON.parse(JSON.stringify({ name, positional, named })) as unknown,
  );

function verdictOf(code: string) {
  try {
    return { calls: parseCalls(code), message: null };
  } catch (error) {
    assert.equal((error as Error).name, 'ToolError');
    return { calls: null, message: (error as Error).message };
  }
}

const isBefore = ([line, column]: Place, [otherLine, otherColumn]: Place) =>
  line < otherLine || (line === otherLine && column < otherColumn);

/** What we accept and Python does not: JSON's words, names that are words of Python's own, a string over two lines. */
const isLenient = (source: string) =>
  /\b(true|false|null)\b|\b(not|if|else|for|in|lambda)\s*=/.test(source) || source.includes('\n');

for (const [kind, texts] of [
  ['generated', call],
  ['damaged', damaged],
] as const) {
  test(`${kind} calls are read as CPython reads them`, {
    skip: python === undefined && 'needs python3',
  }, async () => {
    const oracle = openOracle(python ?? '');
    const seen = { calls: 0, refused: 0, 'not literal': 0 };
    try {
      await fc.assert(
        fc.asyncProperty(texts, async (code) => {
          fc.pre(code.isWellFormed());
          const expected = await oracle.ask(code);
          const { calls, message } = verdictOf(code);
          seen[expected.verdict] += 1;
          if (expected.verdict === 'calls')
            return assert.deepEqual(plain(calls ?? []), plain(expected.calls), `${message}`);
          if (expected.verdict === 'not literal') {
            assert.equal(calls, null);
            const [, line, column] = /^Line (\d+), column (\d+): /.exec(message ?? '') ?? [];
            const place: Place = [Number(line), Number(column)];
            return assert.ok(!isBefore(place, expected.from) && !isBefore(expected.to, place), `${message}`);
          }
          // What was read must be what Python reads in the same letters.
          for (const each of calls ?? []) {
            const alone = await oracle.ask(each.source);
            if (alone.verdict !== 'calls') assert.ok(isLenient(each.source), each.source);
            else assert.deepEqual(plain([each]), plain(alone.calls));
          }
        }),
        { numRuns: RUNS },
      );
    } finally {
      oracle.close();
    }
    assert.ok(
      Object.values(seen).every((count) => count > 30),
      JSON.stringify(seen),
    );
  });
}

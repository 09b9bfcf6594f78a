import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { type JsonPath, lineOfValue, parseJson } from './json-text.ts';
import { TrajectoryError } from './trajectory-error.ts';

const json = fc.jsonValue({ maxDepth: 4 });

/** The paths of a value, and the value with a mark at each of them. */
function* marked(value: unknown, mark: string, path: JsonPath = []): Generator<[JsonPath, unknown]> {
  yield [path, mark];
  if (Array.isArray(value)) {
    for (const [i, each] of value.entries())
      for (const [at, inner] of marked(each, mark, [...path, i])) yield [at, value.with(i, inner)];
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, each] of Object.entries(value))
      for (const [at, inner] of marked(each, mark, [...path, key]))
        yield [
          at,
          Object.fromEntries(Object.entries(value).map(([name, old]) => [name, name === key ? inner : old])),
        ];
  }
}

const lineOf = (source: string, words: string) => source.slice(0, source.indexOf(words)).split('\n').length;

test('the line of every value is found, whatever the layout of the text', () => {
  fc.assert(
    fc.property(json, fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
      for (const [path, changed] of marked(value, 'the mark')) {
        const source = JSON.stringify(changed, null, indent);
        assert.equal(lineOfValue(source, path), lineOf(source, '"the mark"'), path.join('.'));
      }
    }),
    { numRuns: 100 },
  );
});

test('invalid JSON is refused with the line of the first error', () => {
  fc.assert(
    fc.property(fc.array(json, { minLength: 1 }), fc.nat(), (value, at) => {
      const lines = JSON.stringify(value, null, 2).split('\n');
      const line = at % lines.length;
      const source = lines.map((each, i) => (i === line ? `@ ${each}` : each)).join('\n');
      assert.throws(
        () => parseJson(source),
        (error) => error instanceof TrajectoryError && error.line === line + 1,
        source,
      );
    }),
    { numRuns: 200 },
  );
});

test('an invalid escape or number is reported with its line', () => {
  for (const word of ['"\\x"', '"\\u12"', '1.', '"\\\n"', '1e'])
    assert.throws(() => parseJson(`{\n"a": [\n${word}\n, 2]\n}`), { line: 3 }, word);
});

test('truncated text is refused with its last line', () => {
  for (const [source, line] of [
    ['', 1],
    ['[\n1,\n', 2],
    ['{"a":\n{"b": "c', 2],
    ['[1]\n]', 2],
    ['[1,]', 1],
    ['{"a" 1}', 1],
    ['[\n"\u0001"]', 2],
  ] as const)
    assert.throws(
      () => parseJson(source),
      (error) => error instanceof TrajectoryError && error.line === line,
      JSON.stringify(source),
    );
});

test('a line is found after megabytes of output in one string', () => {
  const source = JSON.stringify(['\u001b'.repeat(2_000_000), 1], null, 1);
  assert.equal(lineOfValue(source, [1]), 3);
  assert.throws(() => parseJson(source.replace(/\]$/, '@')), /^TrajectoryError: line 4: /);
});

test('a byte order mark is skipped, and a missing value has the last line', () => {
  assert.deepEqual(parseJson('\uFEFF[1]'), [1]);
  assert.equal(lineOfValue('[\n1\n]', [7]), 3);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mutantsOf } from './mutants.ts';
import { apply, withoutTypes } from './source.ts';

/** What a source becomes, mutant by mutant. */
const mutated = (source: string) =>
  mutantsOf(source).map((mutant) => apply(withoutTypes(source), mutant).trim());

const CASES: readonly (readonly [source: string, ...mutated: string[]])[] = [
  ['if (a) b();', 'if ((true)) b();', 'if ((false)) b();', 'if (a) ;'],
  ['x = a < b;', ';', 'x = a <= b;', 'x = a >= b;'],
  ['x = a === b;', ';', 'x = a !== b;'],
  ['x = (a /* < */ + b);', ';', 'x = (a /* < */ - b);'],
  ['x = a && b;', ';', 'x = a || b;'],
  ['x = a ?? b;', ';', 'x = a && b;'],
  ['x = !a;', ';', 'x = (a);'],
  ['x += 1;', ';', 'x -= 1;'],
  ['x++;', ';', 'x--;'],
  ['x = a?.b;', ';', 'x = a.b;'],
  ['x = a?.[b];', ';', 'x = a[b];'],
  ['x = a?.(b);', ';', 'x = a(b);'],
  ['x = true;', ';', 'x = false;'],
  ["x = 'word';", ';', "x = '';"],
  ["x = '';", ';', "x = 'mutated';"],
  ['x = `a${b}`;', ';', 'x = ``;'],
  ['x = [a];', ';', 'x = [];'],
  ['const f = () => a.b;', 'const f = () => (undefined);'],
  ['function f() { return a.b; }', 'function f() { return undefined; }'],
  ['function f() { return null; }'],
  ['while (a) { break; }', 'while ((false)) { break; }', 'while (a) { ; }'],
  ['for (const a of b) continue;', 'for (const a of b) {}', 'for (const a of b) ;'],
  ['x = a.filter(b);', ';', 'x = a;'],
  ['x = a.some(b);', ';', 'x = a.every(b);'],
  ["throw new LogError('io', `no ${a}`);"],
  ['onWarning(`no ${a}`);', ';'],
  ["import { a } from 'b';"],
  ["export type A = 'b';"],
  ["const a = { 'b': c };"],
  ["const a = { description: 'words' };"],
  ["x = 'Keep what matters and nothing else.';", ';'],
  ['x = `Keep the ${n} events that matter.`;', ';'],
  ['const a: number = b as number;'],
];

for (const [source, ...expected] of CASES)
  test(`mutants of ${source}`, () => {
    assert.deepEqual(mutated(source).sort(), expected.sort());
  });

test('mutants know their line and their text, in the order of the source', () => {
  const source = 'type A = string;\n\nconst f = (a: A) =>\n  a\n    .b;\nf("x");\n';
  assert.deepEqual(
    mutantsOf(source).map(({ line, original, replacement }) => [line, original, replacement]),
    [
      [4, 'a .b', '(undefined)'],
      [6, 'f("x");', ';'],
      [6, '"x"', "''"],
    ],
  );
});

test('what follows an operator may never run: the operator itself runs with its operands', () => {
  const source = 'x = first ?? second;';
  const operator = mutantsOf(source).find(({ original }) => original === '??');
  assert.equal(operator?.runsAt, source.indexOf('first'));
});

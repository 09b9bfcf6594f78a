import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { around, lineOf, linesOf, placesOf } from './places.ts';

test('property: the lines around a place are those that counting finds', () => {
  const content = fc
    .array(fc.constantFrom('a', 'bc', '\n', '\n\n'), { maxLength: 20 })
    .map((all) => all.join(''));
  fc.assert(
    fc.property(
      content,
      fc.nat(),
      fc.nat(3),
      fc.integer({ min: 1, max: 4 }),
      (text, where, wide, context) => {
        const at = where % (text.length + 1);
        const length = Math.min(wide, text.length - at);
        const { first, lines } = around(text, { at, length }, context);
        const all = text.replace(/\n$/, '').split('\n');
        const from = Math.max(1, lineOf(text, at) - context);
        assert.deepEqual([first, lines], [from, all.slice(from - 1, lineOf(text, at + length) + context)]);
      },
    ),
  );
});

test('property: the places of a text are its occurrences without overlaps', () => {
  const some = fc.array(fc.constantFrom('a', 'b', '\n'), { maxLength: 12 }).map((all) => all.join(''));
  fc.assert(
    fc.property(
      some,
      some.filter((wanted) => wanted !== ''),
      (content, wanted) => {
        const places = placesOf(content, wanted);
        assert.equal(places.length, content.split(wanted).length - 1);
        for (const at of places) assert.equal(content.slice(at, at + wanted.length), wanted);
      },
    ),
  );
});

test('property: the lines of places are those of each place, once', () => {
  const content = fc.array(fc.constantFrom('a', 'b', '\n'), { maxLength: 30 }).map((all) => all.join(''));
  fc.assert(
    fc.property(content, (text) => {
      const places = placesOf(text, 'a');
      assert.equal(linesOf(text, places), [...new Set(places.map((at) => lineOf(text, at)))].join(', '));
    }),
  );
});

test('of very many lines the first are shown with the number of the others', () => {
  const text = 'a a;\n'.repeat(200_000);
  assert.match(linesOf(text, placesOf(text, 'a')), /^1, 2, .* 100, and 199900 more$/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import yaml from 'yaml';
import { plainHead } from './plain-head.ts';

test('a plain head is read', () => {
  const head =
    'name: pdf-forms\ndescription: Fills in forms (PDF, XFA), 3 at most. See docs/forms.md!\n\nlicense: MIT';
  assert.deepEqual(plainHead(head), {
    name: 'pdf-forms',
    description: 'Fills in forms (PDF, XFA), 3 at most. See docs/forms.md!',
    license: 'MIT',
  });
  assert.deepEqual(plainHead(''), {});
});

test('anything that YAML may read in another way is left to it', () => {
  for (const head of [
    'a: true',
    'a: Null',
    'null: x',
    'a: 1',
    'a: "x"',
    'a: x # y',
    'a: x: y',
    'a: x:',
    'a: [x]',
    'a:\n  - x',
    'a: x\n  y',
    'a: x\na: y',
    'a:x',
    'a: x ',
    'a: >\n  x',
    'a: &b x',
    'a: x\n# comment',
    '__proto__: x',
    'a: x\n...',
  ]) {
    assert.equal(plainHead(head), undefined, head);
  }
});

test('property: what is read is what the YAML library reads', () => {
  const part = fc.constantFrom(
    ...[
      'a',
      'name',
      'true',
      'No',
      'null',
      'x1',
      '12',
      '1.5',
      '.5',
      '-',
      '- ',
      ':',
      ': ',
      ' ',
      '  ',
      ',',
      '#',
      ' #',
    ],
    ...[
      '"',
      "'",
      '[',
      ']',
      '{',
      '&',
      '*',
      '!',
      '|',
      '>',
      '%',
      '@',
      '`',
      '\n',
      '\n ',
      '\t',
      '(b)',
      'a/b',
      'a.',
      '?',
      '...',
      '---',
    ],
  );
  const line = fc.tuple(fc.constantFrom('a', 'b', 'c-d', 'e_f', '1'), fc.array(part, { maxLength: 5 }));
  const heads = fc.array(line, { maxLength: 4 });
  fc.assert(
    fc.property(heads, (lines) => {
      const head = lines.map(([key, parts]) => `${key}: ${parts.join('')}`).join('\n');
      const read = plainHead(head);
      if (read !== undefined) assert.deepEqual(read, yaml.parse(head) ?? {}, head);
    }),
    { numRuns: 3_000 },
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { MarkdownPainter, markdownLines } from './markdown.ts';
import { PLAIN, type Style } from './style.ts';

/** Shows what is painted how. */
const MARKED: Style = {
  dim: (text) => `<dim>${text}</dim>`,
  bold: (text) => `<bold>${text}</bold>`,
  red: (text) => text,
  green: (text) => text,
  yellow: (text) => text,
  cyan: (text) => `<cyan>${text}</cyan>`,
};

const SHOWN: readonly (readonly [what: string, words: string, shown: string])[] = [
  ['a heading', '## What was done', '<bold>What was done</bold>'],
  ['strong text and code', 'the **whole** `file`', 'the <bold>whole</bold> <cyan>file</cyan>'],
  ['code in strong text', '**use `x`**', '<bold>use <cyan>x</cyan></bold>'],
  ['code with a backtick', '``a`b``', '<cyan>a`b</cyan>'],
  ['a list', '- one\n  * two\n+ three', '• one\n  • two\n• three'],
  ['a numbered list', '1. one\n2. two', '1. one\n2. two'],
  ['a quote', '> said', '<dim>│ </dim><dim>said</dim>'],
  ['a rule', 'a\n---\nb', `a\n<dim>${'─'.repeat(24)}</dim>\nb`],
  [
    'a block of code',
    '```ts\nconst **a** = 1;\n# no heading\n```\nand',
    '<dim>```ts</dim>\n<cyan>const **a** = 1;</cyan>\n<cyan># no heading</cyan>\n<dim>```</dim>\nand',
  ],
  ['a table', '| a | b |\n|---|---|', '| a | b |\n|---|---|'],
  [
    'what is no markup',
    'f(**kwargs), 2 ** 3 ** 4, #1, a_b_c, __init__ and 5`',
    'f(**kwargs), 2 ** 3 ** 4, #1, a_b_c, __init__ and 5`',
  ],
];

for (const [what, words, shown] of SHOWN) {
  test(`Markdown on a terminal: ${what}`, () => {
    assert.equal(markdownLines(words, MARKED).join('\n'), shown);
  });
}

test('Markdown without colours is left as it was written', () => {
  const words = SHOWN.map(([, each]) => each).join('\n');
  assert.equal(markdownLines(words, PLAIN).join('\n'), words);
});

const piece = fc.constantFrom(
  'a',
  ' ',
  '*',
  '**',
  '`',
  '```',
  '\n',
  '#',
  '- ',
  '> ',
  '---',
  'word',
  '_',
  '~~~',
  '1. ',
);

/** Paint that joins with its like, as colours of a terminal do. */
const joined = (text: string) =>
  text.replaceAll('</bold><bold>', '').replaceAll('</cyan><cyan>', '').replaceAll('</dim><dim>', '');

test('Markdown looks the same however it is streamed, and only marks go', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const whole = joined(markdownLines(pieces.join(''), MARKED).join('\n'));
      const painter = new MarkdownPainter(MARKED);
      const streamed = pieces.map((each) => painter.push(each)).join('') + painter.end();
      assert.equal(joined(streamed).replaceAll(/<(\w+)><\/\1>/g, ''), whole.replaceAll(/<(\w+)><\/\1>/g, ''));
      const letters = (text: string) =>
        text.replaceAll(/<\/?(?:dim|bold|cyan)>/g, '').replaceAll(/[^a-z0-9]/g, '');
      assert.equal(letters(streamed), letters(pieces.join('')));
    }),
    { numRuns: 2_000 },
  );
});

test('streamed text is shown at once, up to what may become markup', () => {
  const painter = new MarkdownPainter(MARKED);
  assert.equal(painter.push('The answer is '), 'The answer is ');
  assert.equal(painter.push('in **bo'), 'in ');
  assert.equal(painter.push('ld** here'), '<bold>bold</bold> here');
  assert.equal(painter.end(), '');
});

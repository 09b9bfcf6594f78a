import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { markdownMarkup } from './markdown.ts';

const SHOWN: readonly (readonly [what: string, words: string, markup: string])[] = [
  ['paragraphs with their line breaks', 'a\nb\n\nc', '<p>a\nb</p><p>c</p>'],
  ['headings', '# One\n### Two ##', '<h3>One</h3><h4>Two</h4>'],
  [
    'strong text, emphasis and code',
    '**a `b`** and *c*, ``d`e``',
    '<p><strong>a <code>b</code></strong> and <em>c</em>, <code>d`e</code></p>',
  ],
  [
    'a link',
    '[the *page*](https://a.example/x?y=1&z)',
    '<p><a href="https://a.example/x?y=1&amp;z" rel="noreferrer">the *page*</a></p>',
  ],
  ['a link that is no address of the web', '[x](javascript:alert(1))', '<p>[x](javascript:alert(1))</p>'],
  ['an image, which is not loaded', '![x](https://a.example/x.png)', '<p>![x](https://a.example/x.png)</p>'],
  ['a block of code', '```html\n<b>*x*</b>\n```\nand', '<pre>&lt;b&gt;*x*&lt;/b&gt;</pre><p>and</p>'],
  ['a block of code without an end', '~~~\na\n\nb', '<pre>a\n\nb</pre>'],
  [
    'lists in lists',
    '- a\n  - b\n    more\n- c\n\n3. d\n4. e',
    '<ul><li>a<ul><li>b<p>more</p></li></ul></li><li>c</li></ul><ol start="3"><li>d</li><li>e</li></ol>',
  ],
  ['a quote', '> a\n> - b', '<blockquote><p>a</p><ul><li>b</li></ul></blockquote>'],
  ['a rule', 'a\n\n---\n\nb', '<p>a</p><hr><p>b</p>'],
  [
    'a table',
    '| a | b |\n|---|:-:|\n| 1 \\| 2 | `x` |',
    '<table><tr><th>a</th><th>b</th></tr><tr><td>1 | 2</td><td><code>x</code></td></tr></table>',
  ],
  [
    'what is no markup',
    'f(**kwargs), 2 ** 3 ** 4, a_b_c, #1, 5 * 3 * 2 and <b>',
    '<p>f(**kwargs), 2 ** 3 ** 4, a_b_c, #1, 5 * 3 * 2 and &lt;b&gt;</p>',
  ],
];

for (const [what, words, markup] of SHOWN) {
  test(`Markdown in the report: ${what}`, () => {
    assert.equal(markdownMarkup(words), markup);
  });
}

const TAGS = /<\/?(?:p|h3|h4|ul|ol|li|blockquote|pre|code|table|tr|td|th|strong|em|hr)>|<ol start="\d+">/g;

test('Markdown in the report: tags are properly nested, and no word is lost', () => {
  const piece = fc.constantFrom(
    ...[
      'a',
      'word',
      ' ',
      '  ',
      '\n',
      '\n\n',
      '*',
      '**',
      '`',
      '```',
      '~~~',
      '# ',
      '- ',
      '1. ',
      '> ',
      '---',
      '|',
      '|-|',
      '<',
      '&',
      '"',
      '[x](',
    ],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const words = pieces.join('').trim();
      const markup = markdownMarkup(words);
      const open: string[] = [];
      for (const [tag] of markup.matchAll(TAGS)) {
        const name = tag.replaceAll(/[</>]| start="\d+"/g, '');
        if (name === 'hr') continue;
        if (tag.startsWith('</')) assert.equal(open.pop(), name);
        else open.push(name);
      }
      assert.deepEqual(open, []);
      assert.equal(/[<>]/.test(markup.replaceAll(TAGS, '')), false);
      const letters = (text: string) => text.replaceAll(/&\w+;/g, '').replaceAll(/[^a-z]/g, '');
      // The text after an opening fence is the language, which is not shown.
      if (!/```|~~~/.test(words)) assert.equal(letters(markup.replaceAll(TAGS, '')), letters(words));
    }),
    { numRuns: 2_000 },
  );
});

test('Markdown in the report: many unclosed marks are rendered without excessive backtracking', () => {
  for (const mark of ['**a ', '`a ``', '*a ', '[a', '> ', '- ', '  - ', '| a |\n', '```\n']) {
    const words = mark.repeat(30_000);
    assert.ok(markdownMarkup(words).length > 0);
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sanitize, sanitizeLine } from './sanitize.ts';

const cases: readonly [what: string, input: string, output: string][] = [
  ['plain text with tabs, newlines and other scripts', 'a\tb\nжук 漢字 👍', 'a\tb\nжук 漢字 👍'],
  ['colours', '\x1b[1;31mred\x1b[0m', 'red'],
  ['cursor movement and erasing', 'a\x1b[2J\x1b[1;1Hb\x1b[?25l', 'ab'],
  ['8-bit CSI', 'a\x9b31mb', 'ab'],
  ['a title, ended by BEL', '\x1b]0;owned\x07x', 'x'],
  ['a clipboard write, ended by ST', '\x1b]52;c;ZXZpbA==\x1b\\x', 'x'],
  ['a hyperlink keeps its words', '\x1b]8;;http://e.example\x1b\\here\x1b]8;;\x1b\\', 'here'],
  ['8-bit OSC', '\x9d0;t\x9cx', 'x'],
  ['device control, privacy and application strings', '\x1bPq#0\x1b\\a\x1b^p\x1b\\b\x1b_Gf=1\x1b\\c', 'abc'],
  ['two- and three-byte escapes', '\x1bc\x1b7\x1b(B\x1b#8x', 'x'],
  ['an unended title is shown, not obeyed', '\x1b]0;title', '␛]0;title'],
  ['a lone escape', 'a\x1b', 'a␛'],
  ['an escape before text of another script', '\x1bж', '␛ж'],
  ['other C0 and DEL', 'a\x00\x07\x08\x7fb', 'a␀␇␈␡b'],
  ['C1 that begins nothing', 'a\x85\x9cb', 'a<U+0085><U+009C>b'],
  ['a carriage return cannot hide what stood there', 'rm -rf /\rls  \r\nok', 'rm -rf /\nls  \nok'],
  [
    'bidirectional controls',
    'a\u202eb\u2066c\u2069\u061c\u200f',
    'a<U+202E>b<U+2066>c<U+2069><U+061C><U+200F>',
  ],
  [
    'invisible characters and line separators',
    'a\u200b\ufeff\u2028\u00adb',
    'a<U+200B><U+FEFF><U+2028><U+00AD>b',
  ],
  ['tags that spell hidden words', 'a\u{e0041}\u{e0001}', 'a<U+E0041><U+E0001>'],
  ['half of a surrogate pair', 'a\ud83db', 'a\ufffdb'],
];

for (const [what, input, output] of cases) {
  test(`sanitize: ${what}`, () => assert.equal(sanitize(input), output));
}

test('nothing that a terminal obeys is left, and doing it twice changes nothing', () => {
  const unit = fc.constantFrom(
    '\x1b',
    '[',
    ']',
    '0;',
    'm',
    '\x9b',
    '\x07',
    '\\',
    'P',
    'a',
    '\n',
    '\r',
    '\u202e',
    '\x9c',
  );
  fc.assert(
    fc.property(fc.array(unit), (units) => {
      const safe = sanitize(units.join(''));
      assert.doesNotMatch(safe, /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/);
      assert.equal(sanitize(safe), safe);
    }),
  );
});

test('a label is one line', () => assert.equal(sanitizeLine(' a\n\n  b\tc\x1b[0m '), 'a b c'));

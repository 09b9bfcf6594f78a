import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { overstruck } from './overstrike.ts';

const CASES: readonly (readonly [name: string, printed: string, seen: string])[] = [
  ['a progress bar', '10%\r50%\r100%\ndone\r\n', '100%\ndone\n'],
  ['a backspace', 'abc\b\bX\n', 'aXc\n'],
  ['a shorter text over a longer', 'long line\rshort\n', 'shortline\n'],
  ['a line that is erased to its end', 'long line\r\x1b[Kshort', 'short'],
  ['a line that is erased whole', 'fetching 10\x1b[2K\x1b[1Gfetched', 'fetched'],
  ['a line whose beginning is erased', 'abcdef\x1b[3G\x1b[1Kx\x1b[5G\x1b[Ky', '  xdy'],
  ['colours', '\x1b[33m10%\x1b[0m\r\x1b[32m100%\x1b[0m ok', '\x1b[0m\x1b[32m100%\x1b[0m ok'],
  ['a bold word on a printer', 'b\bbo\bol\bld\bd', 'bold'],
  ['more backspaces than there are characters', 'a\b\b\bb', 'b'],
  ['nothing behind a return', 'waiting\r', 'waiting'],
  ['characters of two units', '👋👋\r漢', '漢👋'],
];
for (const [name, printed, seen] of CASES) {
  test(`${name}`, () => assert.equal(overstruck(printed), seen));
}

test('a line that is erased over and over takes time proportional to its length', () => {
  assert.equal(overstruck('a\x1b[1K'.repeat(300_000)), ' '.repeat(300_000));
});

test('text without overwriting stays as it is', () => {
  const parts = fc.array(
    fc.oneof(fc.string(), fc.constantFrom('\r', '\b', '\n', '\x1b[K', '\x1b[2K', '\x1b[1G', '\x1b[31m')),
  );
  fc.assert(
    fc.property(parts, (given) => {
      const text = given.join('');
      const plain = text.replace(/[\r\b]|\x1b\[\d*[GK]/g, '');
      if (!/[\r\b]|\x1b\[\d*[GK]/.test(plain)) assert.equal(overstruck(plain), plain);
      const once = overstruck(text);
      assert.doesNotMatch(once, /[\r\b]/);
      assert.equal(once.split('\n').length, text.split('\n').length);
    }),
  );
});

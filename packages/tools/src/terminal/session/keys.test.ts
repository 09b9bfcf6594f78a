import assert from 'node:assert/strict';
import { test } from 'node:test';
import { controlLetter, keyBytes } from './keys.ts';

test('which input is a control key', () => {
  const letters = { 'C-a': 'a', 'C-Z': 'z', 'CTRL-c': 'c', 'ctrl+d': 'd', 'CTRL+L': 'l', 'C-m': 'm' };
  for (const [key, letter] of Object.entries(letters)) assert.equal(controlLetter(key), letter);
  for (const text of ['C-', 'C-ab', 'C-1', 'hello', 'CTRL+12', '', 'xC-c']) {
    assert.deepEqual([controlLetter(text), keyBytes(text)], [null, null]);
  }
});

test('the fifteen names, in capitals or not, and their bytes', () => {
  const bytes = {
    ENTER: '\r',
    TAB: '\x09',
    BS: '\x7f',
    ESC: '\x1b',
    UP: '\x1b[A',
    DOWN: '\x1b[B',
    LEFT: '\x1b[D',
    RIGHT: '\x1b[C',
    HOME: '\x1b[H',
    END: '\x1b[F',
    PGUP: '\x1b[5~',
    PGDN: '\x1b[6~',
    'C-L': '\x0c',
    'C-D': '\x04',
    'C-C': '\x03',
  };
  for (const [name, expected] of Object.entries(bytes)) {
    assert.deepEqual([keyBytes(name), keyBytes(name.toLowerCase())], [expected, expected]);
  }
  for (const text of ['F1', 'Escape', 'toString', 'UP UP', 'y']) assert.equal(keyBytes(text), null);
});

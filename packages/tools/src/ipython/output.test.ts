import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CellOutput } from './output.ts';

const PNG = 'iVBORw0KGgo=';

test('chunks are joined in order, however they are cut', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', 'ä', '😀', '\n', ' ') })), (chunks) => {
      const output = new CellOutput();
      for (const chunk of chunks) output.write(chunk);
      assert.equal(output.take().text, chunks.join('').replace(/\n+$/, ''));
    }),
  );
});

test('colours and carriage returns are removed, even when a chunk ends within one', () => {
  const output = new CellOutput();
  for (const character of '\x1b[1;31mred\x1b[0m\r\n 10 %\r100 %\r\n\x1b]0;title\x07done')
    output.write(character);
  assert.equal(output.take().text, 'red\n100 %\ndone');
});

test('results and tracebacks start on new lines', () => {
  const output = new CellOutput();
  output.write('no end of line');
  output.display({ 'text/plain': '42' });
  output.writeLine('ValueError');
  output.write('x');
  assert.equal(output.take().text, 'no end of line\n42\nValueError\nx');
});

test('a flood stays bounded: the middle is left out and counted', () => {
  const output = new CellOutput();
  output.write('first');
  for (let i = 0; i < 800; i += 1) output.write('x'.repeat(10_000));
  output.write('last');
  const { text, isWhole } = output.take();
  assert.equal(isWhole, false);
  assert.match(text, /^firstx/);
  assert.match(text, /xlast$/);
  assert.match(text, /\[\d+ characters of output are left out here\]/);
  assert.ok(text.length < 5_200_000);
});

test('a million small chunks are joined', () => {
  const output = new CellOutput();
  for (let i = 0; i < 1_000_000; i += 1) output.write('12345678\n');
  assert.match(output.take().text, /^12345678\n.*12345678$/s);
});

test('a display shows its content, not the name of its class', () => {
  const shown = (bundle: object) => {
    const output = new CellOutput();
    output.display(bundle as never);
    return output.take().text;
  };
  const named = (type: string, value: unknown) => ({
    'text/plain': '<IPython.core.display.X object>',
    [type]: value,
  });
  assert.equal(shown({ 'text/plain': 'a  b\n0  1', 'text/html': '<table>' }), 'a  b\n0  1');
  assert.equal(shown(named('text/html', '<b>x</b>')), '<b>x</b>');
  assert.equal(shown(named('text/markdown', '# x')), '# x');
  assert.equal(shown(named('text/latex', '$x$')), '$x$');
  assert.equal(shown(named('application/json', { a: 1 })), '{\n  "a": 1\n}');
  assert.equal(shown(named('application/x-unknown', 'x')), '<IPython.core.display.X object>');
  assert.equal(shown({}), '');
});

test('images are numbered in the order of the output, and line ends in their data are dropped', () => {
  const output = new CellOutput();
  output.write('before\n');
  output.display({ 'image/png': 'iVBO\nRw0KGgo=\n', 'text/plain': '<Figure size 1x1>' });
  output.display({ 'image/jpeg': '/9j/', 'text/plain': '<IPython.core.display.Image object>' });
  assert.deepEqual(output.take(), {
    text: 'before\n[image 1: <Figure size 1x1>]\n[image 2]',
    isWhole: true,
    images: [
      { mediaType: 'image/png', base64: PNG },
      { mediaType: 'image/jpeg', base64: '/9j/' },
    ],
  });
  assert.deepEqual(output.take(), { text: '', isWhole: true, images: [] });
});

test('images are limited in number and size to what a request can hold', () => {
  const output = new CellOutput();
  output.display({ 'image/png': 'A'.repeat(8_000_000) });
  for (let i = 0; i < 13; i += 1) output.display({ 'image/png': PNG });
  const { text, images } = output.take();
  assert.equal(images.length, 10);
  assert.match(text, /^\[an image of 6\.0 MB is too large/);
  assert.match(text, /\[3 more image\(s\) are omitted\]$/);
});

test('a display that is updated in place shows its first and last state', () => {
  const output = new CellOutput();
  output.display({ 'text/plain': '0 %' });
  for (let i = 1; i <= 100; i += 1) output.update('bar', { 'text/plain': `${i} %` });
  output.write('done\n');
  assert.equal(output.take().text, '0 %\ndone\n100 %');
});

test('a cell can clear its output at once or with the next output', () => {
  const output = new CellOutput();
  output.write('a');
  output.clear(false);
  output.write('b');
  output.clear(true);
  assert.equal(output.take().text, 'b');
  output.display({ 'image/png': PNG });
  output.clear(true);
  output.display({ 'image/jpeg': '/9j/' });
  assert.deepEqual(output.take(), {
    text: '[image 1]',
    isWhole: true,
    images: [{ mediaType: 'image/jpeg', base64: '/9j/' }],
  });
});

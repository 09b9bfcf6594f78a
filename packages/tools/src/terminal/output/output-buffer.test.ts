import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OutputBuffer } from './output-buffer.ts';

test('each take returns the new output', () => {
  const buffer = new OutputBuffer();
  buffer.push('a');
  buffer.push('b');
  assert.equal(buffer.take().text, 'ab');
  buffer.push('c');
  assert.equal(buffer.take().text, 'c');
  assert.equal(buffer.take().text, '');
});

test('a flood keeps its head and its tail', () => {
  const buffer = new OutputBuffer();
  buffer.push('HEAD');
  for (let i = 0; i < 200; i += 1) buffer.push('x'.repeat(100_000));
  buffer.push('TAIL');
  const text = buffer.take().text;
  assert.ok(text.startsWith('HEAD') && text.endsWith('TAIL'));
  assert.ok(text.length < 5_300_000);
  assert.match(text, /\[\d+ characters of output are left out here\]/);
});

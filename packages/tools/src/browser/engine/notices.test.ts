import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Notices } from './notices.ts';

test('notices are reported once; of a flood, the first, the last, and the number of the others', () => {
  const notices = new Notices();
  for (let i = 0; i < 300; i += 1) notices.add(`message ${i}`);
  const lines = notices.take().split('\n');
  assert.equal(lines.length, 22);
  assert.equal(lines[9], '[message 9]');
  assert.equal(lines[10], '[280 more notices like these are omitted]');
  assert.equal(lines[11], '[message 290]');
  assert.equal(notices.take(), '');
});

test('a long notice is cut in its middle', () => {
  const notices = new Notices();
  notices.add(`begins ${'x'.repeat(100_000)} ends`);
  const told = notices.take();
  assert.ok(told.length < 1_010);
  assert.match(told, /^\[begins x+.*x+ ends\]\n$/s);
});

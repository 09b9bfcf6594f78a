import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { unwritable } from './unwritable.ts';

test('whatever JSON can express can be stored', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => unwritable(value) === undefined));
});

test('what JSON cannot express is refused with its place', () => {
  const circle: { [key: string]: unknown } = { a: 1 };
  circle['list'] = [circle];
  const shared = {};
  assert.equal(unwritable({ a: shared, b: [shared], c: undefined, d: new Date(0) }), undefined);
  assert.equal(unwritable(1n), 'it is a BigInt');
  assert.equal(unwritable({ a: [{ total: 1n }] }), 'a.0.total is a BigInt');
  assert.equal(unwritable(circle), 'list.0 contains itself');
  const deep = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`) as unknown;
  assert.equal(unwritable({ a: 1, b: deep }), 'b is nested more than 500 levels deep');
  assert.equal(unwritable({ file: new Uint8Array(9) }), 'file is bytes');
});

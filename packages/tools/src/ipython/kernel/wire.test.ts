import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decode, encode } from './wire.ts';

const request = { id: 'a1', type: 'execute_request', session: 's', content: { code: 'print("ä")\n' } };

test('a message that was signed is read again, with and without identities before it and buffers behind it', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.array(fc.uint8Array()),
      fc.array(fc.uint8Array()),
      (key, code, identities, buffers) => {
        const frames = [...identities, ...encode(key, { ...request, content: { code } }), ...buffers];
        const expected = { type: 'execute_request', parentId: null, content: { code } };
        assert.deepEqual(decode(key, frames), expected);
      },
    ),
  );
});

test('a message is forgotten if a byte of it or of its signature was changed, or the key is another', () => {
  const frames = encode('key', request);
  assert.notEqual(decode('key', frames), null);
  assert.equal(decode('other', frames), null);
  for (let frame = 1; frame < frames.length; frame += 1) {
    const changed = frames.map((each) => Buffer.from(each));
    changed[frame]![0]! ^= 1;
    assert.equal(decode('key', changed), null, `frame ${frame}`);
  }
});

test('what is no message is none', () => {
  assert.equal(decode('key', []), null);
  assert.equal(decode('key', [Buffer.from('<IDS|MSG>')]), null);
  assert.equal(decode('key', encode('key', request).slice(0, 4)), null);
});

test('content that is too big to be read is told as output of its size', () => {
  const frames = encode('key', { ...request, content: { text: 'x'.repeat(3_000_000) } });
  const told = {
    type: 'stream',
    parentId: null,
    content: { text: '[3 MB of output in one piece are omitted here]\n' },
  };
  assert.deepEqual(decode('key', frames, 2_000_000), told);
  assert.equal(decode('key', frames)?.type, 'execute_request');
});

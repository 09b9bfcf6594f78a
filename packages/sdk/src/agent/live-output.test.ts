import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { HIDDEN } from '../security/mask.ts';
import { liveOutput, type OutputPiece } from './live-output.ts';

function opened(t: TestContext, secrets?: readonly string[]) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const pieces: OutputPiece[] = [];
  const { push, close } = liveOutput((piece) => pieces.push(piece), secrets);
  return {
    pieces,
    push,
    close,
    texts: () => pieces.map(({ text }) => text),
    tick: () => t.mock.timers.tick(100),
  };
}

test('what arrives within a tenth of a second is one piece; the rest comes when the call ends', (t) => {
  const { push, close, tick, texts } = opened(t);
  push('a');
  push('b\n');
  assert.deepEqual(texts(), []);
  tick();
  tick();
  push('c');
  close();
  assert.deepEqual(texts(), ['ab\n', 'c']);
});

test('nothing is passed on for a call that prints nothing, or after its end', (t) => {
  const { push, close, tick, texts } = opened(t);
  push('');
  tick();
  close();
  push('late');
  tick();
  close();
  assert.deepEqual(texts(), []);
});

test('of a flood only the end is passed on, with the number of characters before it', (t) => {
  const { push, tick, pieces } = opened(t);
  for (let i = 0; i < 10_000; i += 1) push('0123456789'.repeat(100));
  push('the end');
  tick();
  push('more');
  tick();
  const [flood, more] = pieces as [OutputPiece, OutputPiece];
  assert.ok(flood.text.length < 20_000 && flood.text.endsWith('9the end'));
  assert.equal(flood.omitted + flood.text.length, 10_000_007);
  assert.deepEqual(more, { text: 'more', omitted: 0 });
});

test('a character is not cut in half', (t) => {
  const { push, tick, pieces } = opened(t);
  push(`${'😀'.repeat(20_000)}.`);
  tick();
  assert.ok(pieces[0]?.text.isWellFormed());
});

test('lines end with a line feed, even if the end of a line is split', (t) => {
  const { push, close, tick, texts } = opened(t);
  push('one\r\ntwo\r');
  tick();
  push('\n50 %\r60 %');
  tick();
  push('\r');
  close();
  assert.deepEqual(texts(), ['one\ntwo', '\n50 %\r60 %', '\r']);
});

test('secrets are masked, even if two pieces share one or a flood cuts one', (t) => {
  const secret = 'correct-horse-battery';
  const { push, close, tick, texts } = opened(t, [secret]);
  push('key=correct-horse');
  tick();
  push('-battery.\n');
  tick();
  push(`${secret}${'x'.repeat(16_384 - 7)}`); // the cut leaves "battery"
  tick();
  push('correct-horse');
  close();
  assert.deepEqual(texts(), ['key=', `${HIDDEN}.\n`, 'x'.repeat(16_384 - 7), 'correct-horse']);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import * as fc from 'fast-check';
import { drawMarks } from './marks.ts';
import { decodePng, encodePng, type Picture } from './png.ts';

const picture = fc
  .record({
    width: fc.integer({ min: 1, max: 9 }),
    height: fc.integer({ min: 1, max: 9 }),
    alpha: fc.boolean(),
  })
  .chain(({ width, height, alpha }) => {
    const channels = alpha ? 4 : 3;
    const length = width * height * channels;
    return fc
      .uint8Array({ minLength: length, maxLength: length })
      .map((pixels): Picture => ({ width, height, channels, pixels }));
  });

test('a picture that is written is read as it was', () => {
  fc.assert(
    fc.property(picture, (made) => {
      const read = decodePng(encodePng(made));
      assert.deepEqual({ ...read, pixels: [...read.pixels] }, { ...made, pixels: [...made.pixels] });
    }),
  );
});

test('every filter of the format is undone', () => {
  // Two pixels wide, a row for each filter, each of which comes out as 1 2 3 4 5 6.
  const rows = [
    [0, 1, 2, 3, 4, 5, 6],
    [1, 1, 2, 3, 3, 3, 3],
    [2, 0, 0, 0, 0, 0, 0],
    [3, 1, 1, 2, 2, 2, 2],
    [4, 0, 0, 0, 0, 0, 0],
  ];
  const plain = Buffer.from(
    encodePng({ width: 2, height: rows.length, channels: 3, pixels: new Uint8Array(30) }),
  );
  const body = deflateSync(Buffer.from(rows.flat()));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  const header = plain.subarray(0, 33);
  const data = Buffer.concat([length, Buffer.from('IDAT'), body, Buffer.alloc(4)]);
  const { pixels } = decodePng(Buffer.concat([header, data]));
  assert.deepEqual(
    [...pixels],
    rows.flatMap(() => [1, 2, 3, 4, 5, 6]),
  );
});

test('what is no such picture is refused', () => {
  assert.throws(() => decodePng(Buffer.from('GIF89a')), /this is no PNG/);
  const deep = Buffer.from(encodePng({ width: 1, height: 1, channels: 3, pixels: new Uint8Array(3) }));
  deep[24] = 16;
  assert.throws(() => decodePng(deep), /a PNG of 16 bits/);
});

test('a mark is a frame around its box with a label, and touches nothing else', () => {
  const size = 100;
  const white = new Uint8Array(size * size * 3).fill(255);
  const png = encodePng({ width: size, height: size, channels: 3, pixels: white });
  const marked = decodePng(drawMarks(png, [{ label: 'e7', box: { x: 20, y: 40, width: 50, height: 30 } }]));
  const colourAt = (x: number, y: number) =>
    [...marked.pixels.subarray((y * size + x) * 3).slice(0, 3)].join();
  assert.equal(colourAt(45, 69), '200,30,30');
  assert.equal(colourAt(20, 60), '200,30,30');
  assert.equal(colourAt(45, 55), '255,255,255');
  assert.equal(colourAt(10, 10), '255,255,255');
  assert.equal(colourAt(45, 75), '255,255,255');
  const inLabel = new Set(Array.from({ length: 18 }, (_, i) => colourAt(21 + i, 34)));
  assert.deepEqual(inLabel, new Set(['200,30,30', '255,255,255']));
});

test('boxes that reach out of the picture are drawn as far as they are in it', () => {
  const png = encodePng({ width: 10, height: 10, channels: 4, pixels: new Uint8Array(400) });
  fc.assert(
    fc.property(
      fc.integer({ min: -50, max: 50 }),
      fc.integer({ min: -50, max: 50 }),
      fc.integer({ min: 1, max: 100 }),
      (x, y, width) => {
        const { pixels } = decodePng(
          drawMarks(png, [{ label: 'f1e20', box: { x, y, width, height: width } }]),
        );
        assert.equal(pixels.length, 400);
      },
    ),
  );
});

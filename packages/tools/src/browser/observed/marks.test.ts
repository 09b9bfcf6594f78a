import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { drawMarks } from './marks.ts';
import { decodePng, encodePng } from './png.ts';

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

test('boxes that exceed the picture are clipped', () => {
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

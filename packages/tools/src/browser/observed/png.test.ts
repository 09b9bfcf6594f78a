import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { PNG } from 'pngjs';
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

/** All that pngjs knows is RGBA. */
function rgba({ width, height, channels, pixels }: Picture): Buffer {
  const all = Buffer.alloc(width * height * 4, 255);
  for (let i = 0; i < width * height; i += 1)
    all.set(pixels.subarray(i * channels, (i + 1) * channels), i * 4);
  return all;
}

test('pngjs reads what is written', () => {
  fc.assert(
    fc.property(picture, (made) => {
      const { width, height, data } = PNG.sync.read(Buffer.from(encodePng(made)));
      assert.deepEqual({ width, height, data }, { width: made.width, height: made.height, data: rgba(made) });
    }),
  );
});

test('what pngjs writes is read, with every filter of the format', () => {
  fc.assert(
    fc.property(picture, fc.constantFrom(0, 1, 2, 3, 4), (made, filterType) => {
      const source = new PNG({ width: made.width, height: made.height });
      source.data = rgba(made);
      const written = PNG.sync.write(source, { colorType: made.channels === 3 ? 2 : 6, filterType });
      const read = decodePng(written);
      assert.deepEqual({ ...read, pixels: [...read.pixels] }, { ...made, pixels: [...made.pixels] });
    }),
  );
});

test('a file that is not a PNG, or not of 8 bits a sample, is refused', () => {
  assert.throws(() => decodePng(Buffer.from('GIF89a')), /not a PNG/);
  const deep = Buffer.from(encodePng({ width: 1, height: 1, channels: 3, pixels: new Uint8Array(3) }));
  deep[24] = 16;
  assert.throws(() => decodePng(deep), /a PNG of 16 bits/);
});

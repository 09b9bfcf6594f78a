/** Reads and writes PNG: non-interlaced 8-bit RGB and RGBA, as browsers make it. Source: PNG specification (third edition). */
import { crc32, deflateSync, inflateSync } from 'node:zlib';

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** 3 for RGB, 4 for RGBA. */
  readonly channels: 3 | 4;
  /** Rows from top to bottom. */
  readonly pixels: Uint8Array;
}

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const RGB = 2;
const RGBA = 6;
/** Row filters. */
const SUB = 1;
const UP = 2;
const AVERAGE = 3;
const PAETH = 4;

/** Throws an Error if the bytes are not a PNG of this kind. */
export function decodePng(bytes: Uint8Array): Picture {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!data.subarray(0, 8).equals(SIGNATURE)) throw new Error('not a PNG');
  let header: Buffer | undefined;
  const parts: Buffer[] = [];
  for (let at = 8; at + 12 <= data.length; ) {
    const length = data.readUInt32BE(at);
    const type = data.toString('latin1', at + 4, at + 8);
    const body = data.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') header = body;
    else if (type === 'IDAT') parts.push(body);
    at += 12 + length;
  }
  if (header === undefined || parts.length === 0) throw new Error('the PNG contains no picture');
  const [depth, colour, , , interlaced] = header.subarray(8);
  if (depth !== 8 || (colour !== RGB && colour !== RGBA) || interlaced !== 0) {
    throw new Error(
      `a PNG of ${depth} bits, colour type ${colour}, interlace ${interlaced} is not supported`,
    );
  }
  const width = header.readUInt32BE(0);
  const height = header.readUInt32BE(4);
  const channels = colour === RGB ? 3 : 4;
  const pixels = unfiltered(inflateSync(Buffer.concat(parts)), width * channels, height, channels);
  return { width, height, channels, pixels };
}

/** Optimised for speed rather than size: the picture is viewed once. */
export function encodePng({ width, height, channels, pixels }: Picture): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, channels === 3 ? RGB : RGBA, 0, 0, 0], 8);
  const row = width * channels;
  const filtered = Buffer.alloc((row + 1) * height);
  for (let y = 0; y < height; y += 1) {
    const to = y * (row + 1);
    const from = y * row;
    const same = y > 0 && Buffer.compare(picked(pixels, from, row), picked(pixels, from - row, row)) === 0;
    // A row equal to the one above becomes zeros, which compress to nothing; screens are full of such rows.
    if (same) filtered[to] = UP;
    else filtered.set(picked(pixels, from, row), to + 1);
  }
  const chunks = [
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(filtered, { level: 3 })),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat([SIGNATURE, ...chunks]);
}

function chunk(type: string, body: Uint8Array): Uint8Array {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

function picked(pixels: Uint8Array, from: number, length: number): Uint8Array {
  return pixels.subarray(from, from + length);
}

/** One loop per filter, because there are millions of bytes. */
function unfiltered(data: Uint8Array, row: number, height: number, step: number): Uint8Array {
  const pixels = new Uint8Array(row * height);
  const at = (index: number) => pixels[index] ?? 0;
  for (let y = 0; y < height; y += 1) {
    const filter = data[y * (row + 1)];
    const to = y * row;
    const end = to + row;
    pixels.set(picked(data, y * (row + 1) + 1, row), to);
    // The row above the first row and the pixel before each row are zero.
    const up = y === 0 ? () => 0 : (i: number) => at(i - row);
    if (filter === SUB) for (let i = to + step; i < end; i += 1) pixels[i] = at(i) + at(i - step);
    else if (filter === UP) for (let i = to; y > 0 && i < end; i += 1) pixels[i] = at(i) + at(i - row);
    else if (filter === AVERAGE) {
      for (let i = to; i < end; i += 1) {
        const left = i < to + step ? 0 : at(i - step);
        pixels[i] = at(i) + ((left + up(i)) >> 1);
      }
    } else if (filter === PAETH) {
      for (let i = to; i < end; i += 1) {
        const isFirst = i < to + step;
        pixels[i] = at(i) + paeth(isFirst ? 0 : at(i - step), up(i), isFirst ? 0 : up(i - step));
      }
    }
  }
  return pixels;
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const toLeft = Math.abs(guess - left);
  const toUp = Math.abs(guess - up);
  const toCorner = Math.abs(guess - corner);
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

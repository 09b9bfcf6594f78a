import type { Page } from 'playwright-core';
import type { AriaNode, Box } from './aria-node.ts';
import { decodePng, encodePng, type Picture } from './png.ts';
import { isClickable, type Snapshot } from './snapshot.ts';

export interface Mark {
  readonly label: string;
  /** In the picture's pixels. */
  readonly box: Box;
}

type Colour = readonly [number, number, number];

/** Distinguishable, and readable under white text. */
const COLOURS: readonly Colour[] = [
  [200, 30, 30],
  [20, 90, 200],
  [20, 120, 60],
  [150, 40, 160],
  [170, 90, 0],
  [0, 110, 130],
];
const WHITE: Colour = [255, 255, 255];

/** The characters of refs: three columns by five rows, one octal digit per row, its bits from the left. */
const GLYPHS: { readonly [letter: string]: string } = {
  '0': '75557',
  '1': '26227',
  '2': '71747',
  '3': '71717',
  '4': '55711',
  '5': '74717',
  '6': '74757',
  '7': '71111',
  '8': '75757',
  '9': '75717',
  e: '74747',
  f: '74644',
};
const SCALE = 2;
/** Includes a gap that keeps letters apart when the picture is scaled down. */
const GLYPH_WIDTH = 5 * SCALE;
const LABEL_HEIGHT = 5 * SCALE + 4;

/**
 * Set of marks: draws a frame and a label around each element of a screenshot. They are drawn on the picture, so the page
 * is not changed.
 */
export function drawMarks(png: Uint8Array, marks: readonly Mark[]): Uint8Array {
  const picture = decodePng(png);
  for (const [i, { box }] of marks.entries()) {
    const colour = COLOURS[i % COLOURS.length] ?? WHITE;
    const left = Math.round(box.x);
    const top = Math.round(box.y);
    const right = Math.round(box.x + box.width);
    const bottom = Math.round(box.y + box.height);
    fill(picture, left, top, right, top + 2, colour);
    fill(picture, left, bottom - 2, right, bottom, colour);
    fill(picture, left, top, left + 2, bottom, colour);
    fill(picture, right - 2, top, right, bottom, colour);
  }
  // Labels last, so no frame crosses one.
  for (const [i, mark] of marks.entries()) drawLabel(picture, mark, COLOURS[i % COLOURS.length] ?? WHITE);
  return encodePng(picture);
}

/** Marks for the clickable elements of a snapshot that are visible in a window of this size. */
export async function marksOf(
  page: Page,
  snapshot: Snapshot,
  window: { readonly width: number; readonly height: number },
): Promise<readonly Mark[]> {
  const marks: Mark[] = [];
  const visit = async (nodes: readonly AriaNode[], x: number, y: number): Promise<void> => {
    for (const node of nodes) {
      const { box, ref } = node;
      if (box !== undefined && ref !== undefined && isClickable(node)) {
        marks.push({ label: ref, box: { ...box, x: box.x + x, y: box.y + y } });
      }
      const children = node.children ?? [];
      if (node.role !== 'iframe' || box === undefined || ref === undefined) await visit(children, x, y);
      else if (children.length > 0) {
        const border = await borderOf(page, ref);
        await visit(children, x + box.x + border.left, y + box.y + border.top);
      }
    }
  };
  await visit(snapshot.nodes, 0, 0);
  return marks.filter(({ box }) => isSeen(box, window));
}

/** The offset of a frame's viewport within its box. */
async function borderOf(page: Page, ref: string): Promise<{ left: number; top: number }> {
  return await page
    .getByRef(ref)
    .evaluate(
      (frame: { readonly clientLeft: number; readonly clientTop: number }) => ({
        left: frame.clientLeft,
        top: frame.clientTop,
      }),
      undefined,
      { timeout: 1_000 },
    )
    .catch(() => ({ left: 0, top: 0 })); // removed meanwhile: its marks are slightly off
}

function isSeen(box: Box, window: { readonly width: number; readonly height: number }): boolean {
  const isThere = box.width > 0 && box.height > 0;
  return (
    isThere &&
    box.x < window.width &&
    box.y < window.height &&
    box.x + box.width > 0 &&
    box.y + box.height > 0
  );
}

function drawLabel(picture: Picture, { box, label }: Mark, colour: Colour): void {
  const width = label.length * GLYPH_WIDTH + 4;
  const left = Math.max(0, Math.min(Math.round(box.x), picture.width - width));
  const top = Math.max(0, Math.round(box.y) - LABEL_HEIGHT + 2);
  fill(picture, left, top, left + width, top + LABEL_HEIGHT, colour);
  for (const [i, letter] of [...label].entries()) {
    const x = left + 3 + i * GLYPH_WIDTH;
    for (const [row, bits] of [...(GLYPHS[letter] ?? '')].entries()) {
      for (let column = 0; column < 3; column += 1) {
        if ((Number(bits) & (4 >> column)) === 0) continue;
        const at = x + column * SCALE;
        const y = top + 2 + row * SCALE;
        fill(picture, at, y, at + SCALE, y + SCALE, WHITE);
      }
    }
  }
}

function fill(picture: Picture, x0: number, y0: number, x1: number, y1: number, colour: Colour): void {
  const { width, height, channels, pixels } = picture;
  for (let y = Math.max(0, y0); y < Math.min(height, y1); y += 1) {
    for (let x = Math.max(0, x0); x < Math.min(width, x1); x += 1) {
      const at = (y * width + x) * channels;
      pixels.set(colour, at);
      if (channels === 4) pixels[at + 3] = 255;
    }
  }
}

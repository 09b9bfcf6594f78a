import type { Page } from 'playwright-core';
import type { Tab } from '../pages/tabs.ts';
import { drawMarks, marksOf } from './marks.ts';
import { answered, type Snapshot } from './snapshot.ts';

const SCREENSHOT_MS = 10_000;

/** A PNG of the part of a page that is in its window. */
export async function screenshot({ page }: Tab, signal: AbortSignal): Promise<Buffer> {
  return await answered(page, () =>
    page.screenshot({ scale: 'css', caret: 'initial', timeout: SCREENSHOT_MS, signal }),
  );
}

/** The same picture with a frame and a label around each clickable element. The page is not changed. */
export async function withMarks({ page }: Tab, snapshot: Snapshot, picture: Uint8Array): Promise<Buffer> {
  const { innerWidth, innerHeight } = await windowSize(page);
  const marks = await marksOf(page, snapshot, { width: innerWidth, height: innerHeight });
  return Buffer.from(drawMarks(picture, marks));
}

/** The first characters of each image format in base64. */
const BEGINNINGS = { jpeg: '/9j/', png: 'iVBOR', gif: 'R0lGOD', webp: 'UklGR' } as const;

/** A data URL for a picture in base64, whose format is recognised by its first characters. */
export function dataUrl(data: string): string {
  const kind = Object.entries(BEGINNINGS).find(([, begin]) => data.startsWith(begin))?.[0] ?? 'png';
  return `data:image/${kind};base64,${data}`;
}

/** In CSS pixels. */
export interface WindowSize {
  readonly innerWidth: number;
  readonly innerHeight: number;
  /** The vertical scroll offset. */
  readonly scrollY: number;
  readonly pageHeight: number;
}

export async function windowSize(page: Page): Promise<WindowSize> {
  return await answered(page, () =>
    page.evaluate(() => {
      const window = globalThis as unknown as PageWindow;
      const { innerWidth, innerHeight } = window;
      const pageHeight = window.document.documentElement?.scrollHeight ?? innerHeight;
      return { innerWidth, innerHeight, scrollY: Math.round(window.scrollY), pageHeight };
    }),
  );
}

/** The part of the DOM's types that is used here. */
interface PageWindow {
  readonly innerWidth: number;
  readonly innerHeight: number;
  readonly scrollY: number;
  readonly document: { readonly documentElement: { readonly scrollHeight: number } | null };
}

import type { Session } from '../engine/session.ts';
import { settled } from '../pages/element.ts';
import { windowSize } from './screenshot.ts';

/** Scrolls by pixels, like a mouse wheel over the middle of the page. */
export async function scrollBy(session: Session, deltaX: number, deltaY: number): Promise<void> {
  const { page } = await session.tabs.current();
  const { innerWidth, innerHeight } = await windowSize(page);
  await page.mouse.move(innerWidth / 2, innerHeight / 2);
  await settled(page, () => page.mouse.wheel(deltaX, deltaY));
}

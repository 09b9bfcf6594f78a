import { ToolError } from '@longhand/sdk';
import type { Session } from '../engine/session.ts';
import { settled } from './element.ts';
import { firstLine } from './visit.ts';

/** Goes one page back or forward. Throws ToolError if the history has no page in that direction, or the page does not load. */
export async function goInHistory(session: Session, direction: 'back' | 'forward'): Promise<void> {
  const tab = await session.tabs.current();
  const { page } = tab;
  const before = page.url();
  try {
    const isMoved = await settled(page, async () => {
      const go = direction === 'back' ? page.goBack : page.goForward;
      return (await go.call(page, { waitUntil: 'commit' })) !== null;
    });
    // There is no response within a page or from the browser's cache.
    if (isMoved || page.url() !== before) return;
  } catch (error) {
    if (tab.crashed) throw error;
    throw new ToolError(
      `Going ${direction} failed, the page did not load: ${firstLine((error as Error).message)}`,
    );
  }
  throw new ToolError(
    `There is no page to go ${direction} to: the history ends at ${before}. Use goto or a link instead.`,
  );
}

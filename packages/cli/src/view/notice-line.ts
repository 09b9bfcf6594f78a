import type { Notice } from '@longhand/sdk';
import { duration } from './figures.ts';
import { sanitizeLine } from './sanitize.ts';

/** Shown at once when the user interrupts a run. */
export const INTERRUPTING = 'interrupting; press Ctrl-C again to stop without waiting';

/** The text of notices that every view shows; null for the others. */
export function noticeLine(notice: Notice): string | null {
  if (notice.type === 'warning') return `warning: ${sanitizeLine(notice.text)}`;
  if (notice.type !== 'retry') return null;
  const { attempt, maxAttempts, waitMs, error } = notice.retry;
  return `attempt ${attempt} of ${maxAttempts} failed: ${sanitizeLine(error.message)}; retrying in ${duration(waitMs)}`;
}

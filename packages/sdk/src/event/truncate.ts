import { headOf, tailOf } from '../value/cut.ts';

/** The text that every notice of a cut contains, which tells it apart from the content. */
export const CLIPPED = '<response clipped>';

/**
 * Keeps the head and the tail of a text that is longer than `limit` characters, with `notice` between them; an odd
 * character goes to the head. The result is `limit` long, or a little shorter where a cut would split a surrogate pair. A notice that
 * does not fit is cut itself.
 */
export function truncateMiddle(text: string, limit: number, notice: string): string {
  if (text.length <= limit) return text;
  if (notice.length >= limit) return headOf(notice, limit);
  const room = limit - notice.length;
  const tail = Math.floor(room / 2);
  return headOf(text, room - tail) + notice + tailOf(text, tail);
}

/** The text that every notice of a cut contains, which tells it apart from the content. */
export const CLIPPED = '<response clipped>';

/**
 * Keeps the head and the tail of a text that is longer than `limit` characters, with `notice` between them; an odd
 * character goes to the head, and the result is exactly `limit` long. A notice that does not fit is cut itself; half a surrogate
 * pair becomes a replacement character.
 */
export function truncateMiddle(text: string, limit: number, notice: string): string {
  if (text.length <= limit) return text;
  if (notice.length >= limit) return notice.slice(0, limit).toWellFormed();
  const room = limit - notice.length;
  const tail = Math.floor(room / 2);
  const head = room - tail;
  return (text.slice(0, head) + notice + text.slice(text.length - tail)).toWellFormed();
}

/** Deeper nesting overflows the stack when it is written or read. */
const MOST_LEVELS = 500;

/** Why a value cannot be stored as JSON, with the place in it; undefined if it can. */
export function unwritable(
  value: unknown,
  place: readonly string[] = [],
  above: readonly object[] = [],
): string | undefined {
  const where = place.join('.') || 'it';
  if (typeof value === 'bigint') return `${where} is a BigInt`;
  if (typeof value !== 'object' || value === null) return undefined;
  if (ArrayBuffer.isView(value)) return `${where} is bytes`;
  if (above.includes(value)) return `${where} contains itself`;
  if (above.length >= MOST_LEVELS)
    return `${place[0] ?? 'it'} is nested more than ${MOST_LEVELS} levels deep`;
  for (const [key, part] of Object.entries(value)) {
    if (typeof part !== 'object' && typeof part !== 'bigint') continue;
    const fault = unwritable(part, [...place, key], [...above, value]);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** The first `most` characters of a text (UTF-16 code units), or one less where the cut would split a surrogate pair. */
export function headOf(text: string, most: number): string {
  return text.slice(0, boundary(text, most));
}

/** The last `most` characters of a text (UTF-16 code units), or one less where the cut would split a surrogate pair. */
export function tailOf(text: string, most: number): string {
  const from = text.length - Math.trunc(most);
  if (from <= 0) return text;
  return text.slice(boundary(text, from) === from ? from : from + 1);
}

/** `at`, or the position before it if `at` is between the halves of a surrogate pair. */
function boundary(text: string, at: number): number {
  const end = Math.trunc(at);
  const isBetween = isIn(text.charCodeAt(end - 1), 0xd800) && isIn(text.charCodeAt(end), 0xdc00);
  return isBetween ? end - 1 : end;
}

/** Whether a code unit is one of the 1,024 that begin at `first`. NaN is none. */
function isIn(unit: number, first: number): boolean {
  return unit >= first && unit < first + 0x400;
}

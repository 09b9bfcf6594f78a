/** Python's string literals: https://docs.python.org/3/reference/lexical_analysis.html#string-and-bytes-literals */
const STRING = /([rRuU]?)('''|"""|'(?!'')|"(?!""))((?:\\[\s\S]|(?!\2)[^\\])*)\2/y;
const ESCAPE = /\\(?:([0-7]{1,3})|x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([\s\S]))/g;
const LETTERS: { readonly [letter: string]: string } = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\x07',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '\n': '',
};

export function isStringAt(code: string, at: number): boolean {
  return /^[rRuU]?["']/.test(code.slice(at, at + 2));
}

/**
 * The string literal that begins at `at`, and where it ends. A line break is accepted in any of them: a model that writes
 * one between single quotes meant `\n` and escaped it once too few in its JSON. Throws an Error saying what is wrong.
 */
export function stringAt(code: string, at: number): { readonly value: string; readonly end: number } {
  STRING.lastIndex = at;
  const [whole, prefix = '', , body = ''] = STRING.exec(code) ?? [];
  if (whole === undefined) throw new Error('this string is not closed');
  const isRaw = /r/i.test(prefix);
  return { value: isRaw ? body : body.replaceAll(ESCAPE, unescaped), end: at + whole.length };
}

function unescaped(
  written: string,
  octal?: string,
  x?: string,
  u?: string,
  long?: string,
  letter = '',
): string {
  if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
  const point = Number.parseInt(x ?? u ?? long ?? '', 16);
  if (point <= 0x10ffff) return String.fromCodePoint(point);
  if (letter === 'N') throw new Error('"\\N" is not understood: write the character itself');
  if (long === undefined && !/[xuU]/.test(letter)) return LETTERS[letter] ?? written; // not an escape in Python either
  throw new Error(
    `"${written}" does not begin a complete escape: write "\\${written}" for the letters themselves`,
  );
}

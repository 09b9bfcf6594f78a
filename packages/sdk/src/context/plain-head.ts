/**
 * Most heads are a few lines of `key: words`, which mean the same in every version of YAML. They are read without the YAML library, which
 * takes 25 ms to load and 50 µs for each:
 *
 *     head  = { key ": " words newline }
 *     key   = letter { letter | digit | "_" | "-" }
 *     words = word { " " [ "(" ] word | " " digits }
 *     word  = letter, then letters, digits and signs that mean nothing there
 *
 * The first word must not be one that YAML reads as something else (`true`, `null`), and no key may occur twice.
 */
const WORD = String.raw`[A-Za-z][\w./()-]*[,;.!?]?`;
const LINE = new RegExp(String.raw`^([A-Za-z][\w-]*): (${WORD}(?: (?:\(?${WORD}|\d+))*)$`);
const NO_TEXT = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** The keys and values of a plain head; undefined if it may mean anything else. */
export function plainHead(head: string): { readonly [key: string]: string } | undefined {
  const values = new Map<string, string>();
  for (const line of head.split('\n')) {
    if (line === '') continue;
    const [, key = '', value = ''] = LINE.exec(line) ?? [];
    if (key === '' || key === '__proto__' || NO_TEXT.test(key) || NO_TEXT.test(value) || values.has(key))
      return undefined;
    values.set(key, value);
  }
  return Object.fromEntries(values);
}

/** Keys that can be sent to a running program by name; anything else is text. */
const NAMED: { readonly [name: string]: string } = {
  ENTER: '\r',
  TAB: '\t',
  BS: '\x7f',
  ESC: '\x1b',
  UP: '\x1b[A',
  DOWN: '\x1b[B',
  RIGHT: '\x1b[C',
  LEFT: '\x1b[D',
  HOME: '\x1b[H',
  END: '\x1b[F',
  PGUP: '\x1b[5~',
  PGDN: '\x1b[6~',
};

/** The letter of `C-c`, `CTRL-c` or `CTRL+c` in lower case; null if the input is not a control key. */
export function controlLetter(input: string): string | null {
  return /^(?:C-|CTRL[-+])([a-z])$/i.exec(input.trim())?.[1]?.toLowerCase() ?? null;
}

/** The bytes of a key; null if the input is text. */
export function keyBytes(input: string): string | null {
  const letter = controlLetter(input);
  if (letter !== null) return String.fromCharCode(letter.charCodeAt(0) & 0x1f);
  return NAMED[input.trim().toUpperCase()] ?? null;
}

/**
 * Text from models, tools and files on its way to a terminal. Whole escape sequences (colours, titles, clipboard
 * writes) are removed; whatever else could move the cursor, hide text or change its direction is made visible.
 */

/** CSI, then the strings (OSC, DCS, SOS, PM, APC) with their terminator, then two- and three-byte escapes; 7 and 8 bit. */
const SEQUENCES =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]+[0-~]|\x1b[0-OQ-WYZ\\`-~]/g;

/** C0 except tab and newline, DEL, C1, and characters without width or that change the direction of writing. */
const UNSAFE =
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e01ef}]/gu;

const NEWLINES = /\r\n?/g;

/** Safe to print. Tabs and newlines are kept; a carriage return starts a new line, so that it cannot hide the text before it. */
export function sanitize(text: string): string {
  return text.toWellFormed().replace(SEQUENCES, '').replace(NEWLINES, '\n').replace(UNSAFE, visible);
}

/** The same on one line, for titles and labels. */
export function sanitizeLine(text: string): string {
  return sanitize(text).replace(/\s+/g, ' ').trim();
}

/** C0 as control pictures, the rest as numbers. */
function visible(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

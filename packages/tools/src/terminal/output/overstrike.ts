/**
 * Lines as a terminal would show them in the end: text that was overwritten after a carriage return, a backspace, a cursor
 * move or an erasure is removed, so that a progress bar shows its last state. Colours stay where they are.
 */
export function overstruck(text: string): string {
  if (!OVERWRITES.test(text)) return text;
  return text.split('\n').map(overstruckLine).join('\n');
}

/** A carriage return, a backspace, `ESC [ n G` (to a column) or `ESC [ n K` (erase). */
const OVERWRITES = /[\r\b]|\x1b\[\d*[GK]/;
const PARTS =
  /\r|[\b]|\x1b\[(\d*)([GK])|\x1b\[[\d;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[^\x1b\r\b]+|\x1b/g;

function overstruckLine(ended: string): string {
  const line = ended.endsWith('\r') ? ended.slice(0, -1) : ended;
  if (!OVERWRITES.test(line)) return line;
  /** One character per column, with the escape sequences before it. */
  const columns: Column[] = [];
  /** When the line was erased up to a column, by that column. Applied at the end, since each erasure would cost the line's length. */
  const erasures: number[] = [];
  let now = 0;
  let column = 0;
  let sequences = '';
  for (const [part, number = '', action] of line.matchAll(PARTS)) {
    now += 1;
    if (part === '\r') column = 0;
    else if (part === '\b') column = Math.max(0, column - 1);
    else if (action === 'G') column = Math.max(0, Math.min(Number(number) - 1, columns.length));
    else if (action === 'K' && number === '1') erasures[Math.min(column, columns.length)] = now;
    else if (action === 'K') columns.length = number === '2' ? 0 : Math.min(columns.length, column);
    else if (part.startsWith('\x1b')) sequences += part;
    else {
      for (const character of part) {
        columns[column] = { text: sequences + character, at: now };
        column += 1;
        sequences = '';
      }
    }
  }
  let erasedAt = 0;
  const texts: string[] = [];
  for (let i = Math.max(columns.length, erasures.length) - 1; i >= 0; i -= 1) {
    erasedAt = Math.max(erasedAt, erasures[i] ?? 0);
    const { text, at } = columns[i] ?? NOTHING;
    texts.push(at < erasedAt ? ' ' : text);
  }
  return texts.reverse().join('') + sequences;
}

/** A column that was never written. */
const NOTHING: Column = { text: '', at: Infinity };

interface Column {
  readonly text: string;
  /** The number of the part that wrote it. */
  readonly at: number;
}

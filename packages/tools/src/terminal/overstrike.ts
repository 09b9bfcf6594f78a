/**
 * Lines as a terminal would leave them: what was overwritten after a carriage return, a backspace, a move to the line's
 * beginning or an erasure is gone, so that a progress bar shows its last state. Colours stay where they are.
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
  /** One character to a column, with the sequences that were sent before it. */
  const columns: string[] = [];
  let column = 0;
  let sequences = '';
  for (const [part, number = '', action] of line.matchAll(PARTS)) {
    if (part === '\r') column = 0;
    else if (part === '\b') column = Math.max(0, column - 1);
    else if (action === 'G') column = Math.max(0, Math.min(Number(number) - 1, columns.length));
    else if (action === 'K') erase(columns, column, number);
    else if (part.startsWith('\x1b')) sequences += part;
    else {
      for (const character of part) {
        columns[column] = sequences + character;
        column += 1;
        sequences = '';
      }
    }
  }
  return columns.join('') + sequences;
}

function erase(columns: string[], column: number, what: string): void {
  if (what === '2') columns.length = 0;
  else if (what === '1') columns.fill(' ', 0, Math.min(column + 1, columns.length));
  else columns.length = Math.min(columns.length, column);
}

const HEAD_CHARACTERS = 1_000_000;
const TAIL_CHARACTERS = 4_000_000;

/**
 * The output of one command: the first million characters and the last four million, whatever comes between being counted
 * and let go, so that a flood stays bounded in memory. Each look takes what is new since the one before.
 */
export class OutputBuffer {
  #head = '';
  readonly #tail: string[] = [];
  #tailLength = 0;
  #dropped = 0;

  push(text: string): void {
    const room = HEAD_CHARACTERS - this.#head.length;
    if (room > 0) this.#head += text.slice(0, room);
    const rest = room > 0 ? text.slice(room) : text;
    if (rest === '') return;
    this.#tail.push(rest);
    this.#tailLength += rest.length;
    while (this.#tail.length > 1 && this.#tailLength - (this.#tail[0]?.length ?? 0) >= TAIL_CHARACTERS) {
      const oldest = this.#tail.shift() ?? '';
      this.#tailLength -= oldest.length;
      this.#dropped += oldest.length;
    }
  }

  /** Everything since the last call. */
  take(): string {
    const gap = this.#dropped === 0 ? '' : `\n[${this.#dropped} characters of output are left out here]\n`;
    const text = this.#head + gap + this.#tail.join('');
    this.#head = '';
    this.#tail.length = 0;
    this.#tailLength = 0;
    this.#dropped = 0;
    return text;
  }
}

/** Lines as a terminal would leave them: what was overwritten after a carriage return or a backspace is gone. */
export function overstruck(text: string): string {
  if (!/[\r\b]/.test(text)) return text;
  return text.replaceAll('\r\n', '\n').split('\n').map(overstruckLine).join('\n');
}

function overstruckLine(line: string): string {
  if (!/[\r\b]/.test(line)) return line;
  let shown = '';
  for (const part of line.split('\r')) {
    const written = part.includes('\b') ? backspaced(part) : part;
    // Colours take no room, so lengths tell nothing of a line that has them: the last state is the whole line.
    shown =
      written === '' ? shown : written.includes('\x1b') ? written : written + shown.slice(written.length);
  }
  return shown;
}

function backspaced(text: string): string {
  const shown: string[] = [];
  for (const character of text) {
    if (character === '\b') shown.pop();
    else shown.push(character);
  }
  return shown.join('');
}

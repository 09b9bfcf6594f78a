/** Where a view writes. */
export interface Output {
  write(text: string): unknown;
  readonly columns?: number;
  readonly rows?: number;
  /** Whether the reader is behind, so that more would wait in memory. */
  readonly writableNeedDrain?: boolean;
}

/** What is drawn below everything that was printed, and redrawn in place. */
export interface Frame {
  /** The text behind the spinner. */
  readonly label: string;
  /** Lines above the spinner, no longer than the terminal is wide. Those that have no room are left out, the first ones first. */
  readonly above?: readonly string[];
}

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
const ERASE_LINE = '\r\x1b[2K';
/** Turns off the wrapping of long lines and on again: a frame has as many rows as lines, however wide its characters are. */
const NO_WRAP = '\x1b[?7l';
const WRAP = '\x1b[?7h';

/** A terminal with a spinner on its last line, which is erased before anything is printed. */
export class Screen {
  readonly #out: Output;
  #frame: ((columns: number) => Frame) | null = null;
  #timer: NodeJS.Timeout | undefined;
  #turn = 0;
  /** The rows of the frame that is on the screen. */
  #rows = 0;
  #atLineStart = true;

  constructor(out: Output) {
    this.#out = out;
  }

  print(lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.endLine();
    this.#out.write(`${lines.join('\n')}\n`);
  }

  /** Appends text to the current line. */
  stream(text: string, paint: (text: string) => string = (same) => same): void {
    if (text === '') return;
    this.#erase();
    this.#out.write(paint(text));
    this.#atLineStart = text.endsWith('\n');
  }

  endLine(): void {
    this.#erase();
    if (!this.#atLineStart) this.#out.write('\n');
    this.#atLineStart = true;
  }

  /** `frame` is called ten times a second, with the width of the terminal. */
  spin(frame: (columns: number) => Frame): void {
    this.#frame = frame;
    this.#timer ??= setInterval(() => this.#draw(), FRAME_MS);
  }

  rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#frame = null;
    this.#erase();
  }

  #draw(): void {
    if (this.#frame === null || !this.#atLineStart) return;
    const columns = this.#out.columns || 80;
    const { label, above = [] } = this.#frame(columns);
    const lines = above.slice(-Math.max(1, (this.#out.rows || 24) - 2)).map((line) => `${line}\n`);
    const spinner = `${SPINNER[this.#turn++ % SPINNER.length]} ${cut(label, Math.max(10, columns - 3))}`;
    const frame = lines.length === 0 ? spinner : `${NO_WRAP}${lines.join('')}${spinner}${WRAP}`;
    this.#out.write(`${this.#eraser()}${frame}`);
    this.#rows = lines.length + 1;
  }

  #erase(): void {
    if (this.#rows === 0) return;
    this.#out.write(this.#eraser());
    this.#rows = 0;
  }

  #eraser(): string {
    return this.#rows > 1 ? `\r\x1b[${this.#rows - 1}A\x1b[J` : ERASE_LINE;
  }
}

/** The beginning of a line, in whole characters. */
export function cut(line: string, columns: number): string {
  return line.length <= columns ? line : [...line].slice(0, columns).join('');
}

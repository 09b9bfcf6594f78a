/** Where a view writes. */
export interface Output {
  write(text: string): unknown;
  readonly columns?: number;
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
const ERASE = '\r\x1b[2K';

/** A terminal with a spinner on its last line, which is erased before anything is printed. */
export class Screen {
  readonly #out: Output;
  #label: (() => string) | null = null;
  #timer: NodeJS.Timeout | undefined;
  #frame = 0;
  #isDrawn = false;
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

  /** The label is called for every frame, so that it can show the time. */
  spin(label: () => string): void {
    this.#label = label;
    this.#timer ??= setInterval(() => this.#draw(), FRAME_MS);
  }

  rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#label = null;
    this.#erase();
  }

  #draw(): void {
    if (this.#label === null || !this.#atLineStart) return;
    const frame = FRAMES[this.#frame++ % FRAMES.length] ?? '';
    const room = Math.max(10, (this.#out.columns || 80) - 3);
    this.#out.write(`${ERASE}${frame} ${[...this.#label()].slice(0, room).join('')}`);
    this.#isDrawn = true;
  }

  #erase(): void {
    if (!this.#isDrawn) return;
    this.#out.write(ERASE);
    this.#isDrawn = false;
  }
}

import { tailOf } from '@longhand/sdk/value';
import { sanitize } from './sanitize.ts';
import { cut } from './screen.ts';

const MAX_CHARACTERS = 8_192;

/** The latest lines that a running call has printed, as a terminal would show them. Of several running calls, those of the last to print. */
export class OutputTail {
  #actionId = '';
  #text = '';

  push(actionId: string, text: string, isAfterGap: boolean): void {
    const before = actionId === this.#actionId && !isAfterGap ? this.#text : '';
    const whole = before + text;
    this.#actionId = actionId;
    this.#text = whole.length <= MAX_CHARACTERS ? whole : fromLineStart(tailOf(whole, MAX_CHARACTERS));
  }

  /** The call has its result. */
  clear(actionId: string): void {
    if (actionId === this.#actionId) this.#text = '';
  }

  /** At most `max` lines of at most so many columns, safe to print. */
  lines(max: number, columns: number): string[] {
    const text = this.#text.trimEnd();
    if (text === '') return [];
    return text
      .split('\n')
      .slice(-max)
      .map((line) => cut(sanitize(lastState(line)), columns));
  }
}

/** What a line shows after its carriage returns. */
function lastState(line: string): string {
  const written = line.replace(/\r+$/, '');
  return written.slice(written.lastIndexOf('\r') + 1);
}

/** Without the rest of a line that was cut, and of an escape sequence in it. */
function fromLineStart(text: string): string {
  return text.slice(text.indexOf('\n') + 1);
}

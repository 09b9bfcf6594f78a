import { CLIPPED, truncateMiddle } from '@longhand/sdk/internal';

const MAX_CHARACTERS = 1_000;
/** How many of the first and of the last notices are kept. */
const MAX_EACH = 10;

/** Events that nobody asked for: dialogs, downloads, new tabs. Their number is bounded, whatever a page does. */
export class Notices {
  readonly #kept: string[] = [];
  #leftOut = 0;

  readonly add = (text: string): void => {
    this.#kept.push(truncateMiddle(text, MAX_CHARACTERS, CLIPPED));
    if (this.#kept.length <= 2 * MAX_EACH) return;
    this.#kept.splice(MAX_EACH, 1);
    this.#leftOut += 1;
  };

  /** Returns the notices since the last call, one per line. */
  take(): string {
    const lines = this.#kept.splice(0).map((notice) => `[${notice}]\n`);
    if (this.#leftOut > 0)
      lines.splice(MAX_EACH, 0, `[${this.#leftOut} more notices like these are omitted]\n`);
    this.#leftOut = 0;
    return lines.join('');
  }
}

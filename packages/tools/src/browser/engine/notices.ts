import { CLIPPED, truncateMiddle } from '@longhand/sdk/internal';

const MAX_CHARACTERS = 1_000;
/** Of the first and of the last ones. */
const MAX_EACH = 10;

/** What happened besides what was asked for: dialogs, downloads, new tabs. Bounded, whatever a page does. */
export class Notices {
  readonly #kept: string[] = [];
  #leftOut = 0;

  readonly add = (text: string): void => {
    this.#kept.push(truncateMiddle(text, MAX_CHARACTERS, CLIPPED));
    if (this.#kept.length <= 2 * MAX_EACH) return;
    this.#kept.splice(MAX_EACH, 1);
    this.#leftOut += 1;
  };

  /** Those since the last call, a line each. */
  take(): string {
    const lines = this.#kept.splice(0).map((notice) => `[${notice}]\n`);
    if (this.#leftOut > 0)
      lines.splice(MAX_EACH, 0, `[${this.#leftOut} more of such notices are left out]\n`);
    this.#leftOut = 0;
    return lines.join('');
  }
}

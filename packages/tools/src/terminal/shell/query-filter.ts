/**
 * Removes a program's queries to its terminal (cursor position, colours, device attributes): they are noise to a model, and
 * a terminal that displays them later would answer. Colours, cursor moves and titles stay. Works on a stream: a sequence
 * that is cut off at the end of a chunk is held until the next one.
 */
const QUERY = new RegExp(
  [
    '\\x1b\\[\\??6n', // cursor position
    '\\x1b\\[[>=]?0?c', // device attributes
    '\\x1b\\]\\d+(?:;\\d+)?;\\?(?:\\x07|\\x1b\\\\)', // colour of ...
    '\\x1bP\\$q[^\\x1b]*\\x1b\\\\', // setting of ...
    '\\x1b\\[\\?2004[hl]', // bracketed paste, on and off
  ].join('|'),
  'g',
);
/** The start of a sequence that may become a query. */
const UNFINISHED = /\x1b(?:\[[?>=\d;]{0,32}|\][\d;?]{0,32}|P[^\x1b]{0,64})?\x1b?$/;

export class QueryFilter {
  #held = '';

  push(chunk: string): string {
    const text = this.#held + chunk;
    if (!text.includes('\x1b')) return text;
    const cut = UNFINISHED.exec(text)?.index ?? text.length;
    this.#held = text.slice(cut);
    return text.slice(0, cut).replace(QUERY, '');
  }

  /** Returns what is still held when no more output comes. */
  flush(): string {
    const rest = this.#held;
    this.#held = '';
    return rest;
  }
}

/**
 * The calls of the `browser` tool, as models write them: Python's call syntax with literal arguments. Nothing is evaluated.
 *
 *     calls   = { text | comment | call }
 *     call    = name "(" [ arg { "," arg } [ "," ] ] ")"
 *     arg     = [ name "=" ] literal
 *     literal = string { string } | [ "+" | "-" ] number | "True" | "False" | "None" | list | tuple | dict
 *
 * A test compares it with CPython. It is more lenient in three points: text around calls is skipped, since models add
 * sentences and fences; JSON's `true`, `false` and `null` are accepted; a string may hold a line break (python-string.ts).
 * docs/adr/0009-browser-formats.md says why this is not a general grammar of Python.
 */
import { ToolError } from '@longhand/sdk';
import { isStringAt, stringAt } from './python-string.ts';

export type Literal =
  | string
  | number
  | boolean
  | null
  | readonly Literal[]
  | { readonly [key: string]: Literal };

export interface Call {
  readonly name: string;
  readonly positional: readonly Literal[];
  readonly named: { readonly [name: string]: Literal };
  /** The text of the call. */
  readonly source: string;
}

/** Changes whether or how often a call is made, so skipping it would do something that was not meant. */
const STATEMENT =
  /^[ \t]*(?:(for|while|if|elif|with|def|class)\b[^\n]*:|(else|try|finally|except)\b[^\n]*:)/m;
const DEEPEST = 100;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const DIGITS = String.raw`\d(?:_?\d)*`;
const EXPONENT = `e[+-]?${DIGITS}`;
/** Python's, but for imaginary ones: https://docs.python.org/3/reference/lexical_analysis.html#numeric-literals */
const NUMBER = new RegExp(
  [
    `(?:${DIGITS}\\.(?:${DIGITS})?|\\.${DIGITS})(?:${EXPONENT})?`,
    `${DIGITS}${EXPONENT}`,
    '0x(?:_?[\\da-f])+',
    '0o(?:_?[0-7])+',
    '0b(?:_?[01])+',
    '0(?:_?0)*(?![\\d_])',
    '[1-9](?:_?\\d)*',
  ].join('|'),
  'iy',
);
const BLANK = /(?:\s|#[^\n]*|\\\n)*/y;
const WORDS: { readonly [word: string]: Literal } = {
  True: true,
  true: true,
  False: false,
  false: false,
  None: null,
  null: null,
};
/** Throws a ToolError naming line and column if a call is not well formed; the caller then executes none of them. */
export function parseCalls(code: string): readonly Call[] {
  return new Parser(code).calls();
}

class Parser {
  readonly #code: string;
  #at = 0;
  /** How many lists are open. */
  #depth = 0;

  constructor(code: string) {
    this.#code = code;
  }

  calls(): readonly Call[] {
    const found: Call[] = [];
    let between = 0;
    while (this.#at < this.#code.length) {
      const start = this.#at;
      if (this.#code[start] === '#') {
        this.#take(BLANK);
        continue;
      }
      const name = this.#take(NAME);
      if (name === '') {
        this.#at += 1;
        continue;
      }
      if (this.#code[this.#at] !== '(') continue;
      const [, statement, branch] = STATEMENT.exec(this.#code.slice(between, start)) ?? [];
      if (statement !== undefined || branch !== undefined) {
        this.#fail(`"${statement ?? branch}" is not understood: write the calls one after the other`);
      }
      const args = this.#args();
      found.push({ name, ...args, source: this.#code.slice(start, this.#at) });
      between = this.#at;
    }
    return found;
  }

  #args(): Pick<Call, 'positional' | 'named'> {
    const positional: Literal[] = [];
    const named = new Map<string, Literal>();
    this.#series('(', ')', () => {
      const before = this.#at;
      const name = this.#take(NAME);
      this.#take(BLANK);
      if (name !== '' && !Object.hasOwn(WORDS, name) && this.#code[this.#at] === '=') {
        this.#at += 1;
        if (named.has(name)) this.#fail(`"${name}" is given twice`);
        named.set(name, this.#literal());
        return;
      }
      this.#at = before;
      if (named.size > 0) this.#fail('an argument without a name stands after one with a name');
      positional.push(this.#literal());
    });
    return { positional, named: Object.fromEntries(named) };
  }

  #series(open: string, close: string, item: () => void): number {
    this.#expect(open);
    if (this.#depth >= DEEPEST) this.#fail(`lists are nested more than ${DEEPEST} levels deep`);
    this.#depth += 1;
    let commas = 0;
    for (;;) {
      this.#take(BLANK);
      if (this.#code[this.#at] === close) break;
      item();
      this.#take(BLANK);
      if (this.#code[this.#at] !== ',') break;
      this.#at += 1;
      commas += 1;
    }
    this.#expect(close);
    this.#depth -= 1;
    return commas;
  }

  #literal(): Literal {
    this.#take(BLANK);
    const next = this.#code[this.#at] ?? '';
    if (next === '[') return this.#items('[', ']').items;
    if (next === '(') {
      const { items, commas } = this.#items('(', ')');
      return commas === 0 && items.length === 1 ? (items[0] ?? null) : items;
    }
    if (next === '{') return this.#dict();
    if (isStringAt(this.#code, this.#at)) return this.#strings();
    const number = this.#number();
    if (number !== null) return number;
    const start = this.#at;
    const word = this.#take(NAME);
    if (Object.hasOwn(WORDS, word)) return WORDS[word] ?? null;
    this.#at = start;
    const what = word === '' ? (next === '' ? 'the end' : `"${next}"`) : `"${word}"`;
    return this.#fail(`${what} stands where a literal should: a string in quotes, a number, a list`);
  }

  #items(open: string, close: string): { items: readonly Literal[]; commas: number } {
    const items: Literal[] = [];
    const commas = this.#series(open, close, () => items.push(this.#literal()));
    return { items, commas };
  }

  #dict(): Literal {
    const entries: [string, Literal][] = [];
    this.#series('{', '}', () => {
      this.#take(BLANK);
      if (!isStringAt(this.#code, this.#at)) this.#fail('a key has to be a string in quotes');
      const key = this.#strings();
      this.#expect(':');
      entries.push([key, this.#literal()]);
    });
    return Object.fromEntries(entries);
  }

  #strings(): string {
    let whole = '';
    while (isStringAt(this.#code, this.#at)) {
      const { value, end } = this.#tried(() => stringAt(this.#code, this.#at));
      whole += value;
      this.#at = end;
      this.#take(BLANK);
    }
    return whole;
  }

  /** Null if there is no number. */
  #number(): number | null {
    const start = this.#at;
    const sign = this.#take(/[+-]/y);
    this.#take(BLANK);
    const size = this.#take(NUMBER);
    if (size === '') this.#at = start;
    if (size === '') return null;
    const value = Number(size.replaceAll('_', ''));
    if (!Number.isFinite(value)) this.#fail('this number is too large');
    return sign === '-' ? -value : value;
  }

  #tried<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      return this.#fail((error as Error).message);
    }
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#code)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  #expect(mark: string): void {
    this.#take(BLANK);
    if (this.#code[this.#at] === mark) {
      this.#at += 1;
      return;
    }
    const found = this.#code[this.#at];
    this.#fail(`"${mark}" is missing${found === undefined ? ' at the end' : ` before "${found}"`}`);
  }

  #fail(problem: string): never {
    const before = this.#code.slice(0, this.#at).split('\n');
    const line = before.length;
    const column = (before.at(-1) ?? '').length + 1;
    throw new ToolError(`Line ${line}, column ${column}: ${problem}. Nothing was executed.`);
  }
}

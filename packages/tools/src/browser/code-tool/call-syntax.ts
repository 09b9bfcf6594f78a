/**
 * The calls of the `browser` tool, as models write them: Python's call syntax with literal arguments.
 *
 *     calls   = { text | comment | call }
 *     call    = name "(" [ arg { "," arg } [ "," ] ] ")"
 *     arg     = [ name "=" ] literal
 *     literal = string | number | "True" | "False" | "None" | list | tuple | dict
 *     string  = [ "r" ] ( "'..'" | '"..".' | triple quoted ), side by side they join
 *
 * Text around calls is passed over (models add a word or a fence), comments and strings in it too. Nothing is evaluated.
 */
import { ToolError } from '@longhand/sdk';

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
  /** As it was written. */
  readonly source: string;
}

/** What would change whether or how often a call is made: passing over it would do something else than was meant. */
const STATEMENT =
  /^[ \t]*(?:(for|while|if|elif|with|def|class)\b[^\n]*:|(else|try|finally|except)\b[^\n]*:)/m;
const DEEPEST = 100;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const BLANK = /(?:\s|#[^\n]*|\\\n)*/y;
const WORDS: { readonly [word: string]: Literal } = {
  True: true,
  true: true,
  False: false,
  false: false,
  None: null,
  null: null,
};
const ESCAPES: { readonly [letter: string]: string } = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\x07',
  '0': '\0',
  '\n': '',
};

/** Throws ToolError naming the place if a call is not well formed; then none should be carried out. */
export function parseCalls(code: string): readonly Call[] {
  return new Parser(code).calls();
}

class Parser {
  readonly #code: string;
  #at = 0;
  /** Of lists in each other. */
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
      if (name !== '' && this.#code[this.#at] === '=') {
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
    if (this.#isString()) return this.#strings();
    const number = this.#take(NUMBER);
    if (number !== '') return Number(number.replaceAll('_', ''));
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
      const key = this.#literal();
      this.#take(BLANK);
      this.#expect(':');
      entries.push([String(key), this.#literal()]);
    });
    return Object.fromEntries(entries);
  }

  #isString(): boolean {
    return /^[rRuU]?["']/.test(this.#code.slice(this.#at, this.#at + 2));
  }

  #strings(): string {
    let whole = '';
    while (this.#isString()) {
      whole += this.#string();
      this.#take(BLANK);
    }
    return whole;
  }

  #string(): string {
    const opened = this.#at;
    const isRaw = /[rR]/.test(this.#code[this.#at] ?? '');
    if (/[rRuU]/.test(this.#code[this.#at] ?? '')) this.#at += 1;
    const quote = this.#code[this.#at] ?? '';
    const isTriple = this.#code.startsWith(quote.repeat(3), this.#at);
    const end = isTriple ? quote.repeat(3) : quote;
    this.#at += end.length;
    let value = '';
    for (;;) {
      if (this.#code.startsWith(end, this.#at)) break;
      const letter = this.#code[this.#at];
      if (letter === undefined) {
        this.#at = opened;
        return this.#fail('a string is not closed');
      }
      if (letter === '\\') value += this.#escape(isRaw);
      else {
        value += letter;
        this.#at += 1;
      }
    }
    this.#at += end.length;
    return value;
  }

  #escape(isRaw: boolean): string {
    const letter = this.#code[this.#at + 1] ?? '';
    const coded = /^(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/.exec(
      this.#code.slice(this.#at + 1, this.#at + 10),
    );
    const point = Number.parseInt(coded?.[1] ?? coded?.[2] ?? coded?.[3] ?? '', 16);
    if (!isRaw && coded !== null && point <= 0x10ffff) {
      this.#at += 1 + coded[0].length;
      return String.fromCodePoint(point);
    }
    this.#at += 2;
    // What is no escape stays as it is, as in Python.
    return isRaw ? `\\${letter}` : (ESCAPES[letter] ?? (/["'\\]/.test(letter) ? letter : `\\${letter}`));
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
    throw new ToolError(`Line ${line}, column ${column}: ${problem}. Nothing was carried out.`);
  }
}

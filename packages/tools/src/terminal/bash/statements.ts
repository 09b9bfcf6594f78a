/**
 * Splits a shell text into its top-level statements: at line breaks outside quotes, substitutions, here-documents and
 * compound commands. `;`, `&&`, `||`, `|` and `&` keep statements together. A comment belongs to the statement before it.
 * A text that is not complete is one statement, and says so.
 */
export interface Statements {
  readonly statements: readonly string[];
  /** False if something is still open at the end: a quote, a here-document, an `if`. */
  readonly complete: boolean;
}

/** Words that open a compound command, where a command may stand, and what closes it. */
const OPENERS: { readonly [word: string]: string } = {
  if: 'fi',
  case: 'esac',
  for: 'done',
  while: 'done',
  until: 'done',
  select: 'done',
  '{': '}',
};
/** Behind these words a command may stand. */
const LEADERS = new Set(['then', 'do', 'else', 'elif', '!', 'time', '-p', 'if', 'while', 'until', '{']);

const DEEPEST = 200;

export function splitStatements(source: string): Statements {
  const scanner = new Scanner(source);
  const complete = scanner.scan();
  if (!complete) return { statements: [source], complete };
  return { statements: joinComments(scanner.cuts(source)), complete };
}

class Scanner {
  readonly #source: string;
  #at = 0;
  readonly #breaks: number[] = [];
  /** What closes each of the open compounds, innermost last. */
  readonly #open: string[] = [];
  readonly #heredocs: { readonly word: string; readonly indented: boolean }[] = [];
  /** Of substitutions in each other. */
  #depth = 0;
  /** Where `((` turned out to be two subshells, or never closed: not to be found out again from each place around it. */
  readonly #notArithmetic = new Set<number>();
  #unclosedFrom = Infinity;
  #commandPosition = true;
  /** The next word is the name of a function, and behind it comes its body. */
  #functionName = false;
  /** The last token asks for more: `&&`, `||`, `|`. */
  #continues = false;

  constructor(source: string) {
    this.#source = source;
  }

  cuts(source: string): string[] {
    const edges = [0, ...this.#breaks, source.length];
    return edges.slice(1).map((end, i) => source.slice(edges[i], end).replace(/^\n+|\s+$/g, ''));
  }

  /** True if everything that was opened is closed at the end. */
  scan(): boolean {
    while (this.#at < this.#source.length) {
      if (!this.#step()) return false;
    }
    return this.#open.length === 0 && this.#heredocs.length === 0 && !this.#continues;
  }

  /** False if something is never closed. */
  #step(): boolean {
    const character = this.#source[this.#at] ?? '';
    if (character === '\n') return this.#lineBreak();
    if (character === ' ' || character === '\t' || character === '\r') return this.#skip(1);
    if (character === '#') return this.#skip(this.#lengthTo('\n'));
    if (this.#source.startsWith('<<<', this.#at)) return this.#skip(3);
    if (this.#source.startsWith('<<', this.#at)) return this.#heredoc();
    if (character === ')') return this.#close(')');
    if (this.#source.startsWith('((', this.#at) && this.#arithmetic()) return true;
    if (character === '(') return this.#opens(')');
    const operator = /^(?:&&|\|[|&]?|;;?&?|&)/.exec(this.#source.slice(this.#at, this.#at + 3))?.[0];
    if (operator !== undefined) {
      this.#continues = operator === '&&' || operator.startsWith('|');
      this.#commandPosition = true;
      this.#at += operator.length;
      return true;
    }
    return this.#word();
  }

  #skip(length: number): boolean {
    this.#at += length;
    return true;
  }

  #lengthTo(end: string): number {
    const found = this.#source.indexOf(end, this.#at);
    return (found === -1 ? this.#source.length : found) - this.#at;
  }

  #lineBreak(): boolean {
    this.#at += 1;
    for (const heredoc of this.#heredocs.splice(0)) if (!this.#skipBody(heredoc)) return false;
    if (this.#open.length === 0 && this.#depth === 0 && !this.#continues) this.#breaks.push(this.#at);
    this.#commandPosition = true;
    return true;
  }

  #skipBody({ word, indented }: { readonly word: string; readonly indented: boolean }): boolean {
    while (this.#at < this.#source.length) {
      const length = this.#lengthTo('\n');
      const line = this.#source.slice(this.#at, this.#at + length);
      this.#at = Math.min(this.#source.length, this.#at + length + 1);
      if ((indented ? line.replace(/^\t+/, '') : line) === word) return true;
    }
    return false;
  }

  #heredoc(): boolean {
    const match = /^<<(-?)[ \t]*((?:'[^']*'|"[^"]*"|\\.|[^\s;&|<>()'"\\])+)/.exec(
      this.#source.slice(this.#at),
    );
    if (match === null) return this.#skip(2);
    this.#heredocs.push({ word: (match[2] ?? '').replace(/['"\\]/g, ''), indented: match[1] === '-' });
    return this.#skip(match[0].length);
  }

  /** `((i << 2))`: nothing in it is a here-document. False, with nothing taken, for a subshell in a subshell. */
  #arithmetic(): boolean {
    const from = this.#at;
    if (this.#notArithmetic.has(from) || from >= this.#unclosedFrom) return false;
    const isClosed = this.#nested(')');
    if (!isClosed) this.#unclosedFrom = from;
    if (isClosed && this.#source[this.#at] === ')') {
      this.#commandPosition = true;
      this.#continues = false;
      return this.#skip(1);
    }
    this.#notArithmetic.add(from);
    this.#at = from;
    return false;
  }

  #opens(closer: string): boolean {
    this.#open.push(closer);
    this.#commandPosition = true;
    this.#continues = false;
    return this.#skip(1);
  }

  /** The `)` of a pattern in a `case` closes nothing. */
  #close(closer: string): boolean {
    if (this.#open.at(-1) === closer) this.#open.pop();
    this.#commandPosition = true; // the body of a function, the commands of a case
    return this.#skip(1);
  }

  #word(): boolean {
    const from = this.#at;
    while (this.#at < this.#source.length) {
      const character = this.#source[this.#at] ?? '';
      if (/[\s;&|()<>]/.test(character) && this.#at > from) break;
      if (!this.#part(character)) return false;
    }
    this.#continues = false;
    this.#keyword(this.#source.slice(from, this.#at));
    return true;
  }

  /** One character of a word, or a quoted or substituted part of it as a whole. */
  #part(character: string): boolean {
    if (character === '\\') return this.#skip(2);
    if (character === "'") return this.#quoted("'", false);
    if (character === '"') return this.#quoted('"', true);
    if (character === '`') return this.#quoted('`', true);
    if (this.#source.startsWith("$'", this.#at)) {
      this.#at += 1;
      return this.#quoted("'", true);
    }
    if (this.#source.startsWith('$(', this.#at)) return this.#substitution();
    if (this.#source.startsWith('${', this.#at)) return this.#nested('}');
    return this.#skip(1);
  }

  #quoted(quote: string, escapes: boolean): boolean {
    this.#at += 1;
    while (this.#at < this.#source.length) {
      const character = this.#source[this.#at];
      if (character === quote) return this.#skip(1);
      if (escapes && character === '\\') this.#at += 2;
      else if (quote === '"' && this.#source.startsWith('$(', this.#at)) {
        if (!this.#substitution()) return false;
      } else this.#at += 1;
    }
    return false;
  }

  /** `$( )`: what is in it is read as commands are, for it may hold comments, here-documents and the like. */
  #substitution(): boolean {
    if (this.#source.startsWith('$((', this.#at)) return this.#nested(')');
    if (this.#depth >= DEEPEST) return false;
    const [open, heredocs] = [this.#open.splice(0), this.#heredocs.splice(0)];
    const [commandPosition, functionName] = [this.#commandPosition, this.#functionName];
    this.#commandPosition = true;
    this.#functionName = false;
    this.#depth += 1;
    this.#at += 2;
    const isClosed = this.#commands();
    this.#depth -= 1;
    this.#open.splice(0, Infinity, ...open);
    this.#heredocs.unshift(...heredocs);
    this.#commandPosition = commandPosition;
    this.#functionName = functionName;
    return isClosed && this.#skip(1);
  }

  /** Up to the `)` that closes them; false if there is none. */
  #commands(): boolean {
    while (this.#at < this.#source.length) {
      if (this.#open.length === 0 && this.#source[this.#at] === ')') return true;
      if (!this.#step()) return false;
    }
    return false;
  }

  /** `$(( ))` and `${ }`, with what is quoted or nested in them. What is nested too deep counts as never closed. */
  #nested(closer: string): boolean {
    if (this.#depth >= DEEPEST) return false;
    this.#depth += 1;
    const isClosed = this.#closed(closer);
    this.#depth -= 1;
    return isClosed;
  }

  #closed(closer: string): boolean {
    const opener = closer === ')' ? '(' : '{';
    this.#at += 2;
    for (let depth = 1; this.#at < this.#source.length; ) {
      const character = this.#source[this.#at] ?? '';
      if (character === closer) depth -= 1;
      if (character === opener) depth += 1;
      if (!this.#part(character)) return false;
      if (depth === 0) return true;
    }
    return false;
  }

  #keyword(word: string): void {
    if (this.#functionName) {
      this.#functionName = false;
      this.#commandPosition = true;
      return;
    }
    const wasCommand = this.#commandPosition;
    this.#commandPosition = wasCommand && LEADERS.has(word);
    if (!wasCommand) return;
    const closer = Object.hasOwn(OPENERS, word) ? OPENERS[word] : undefined;
    if (closer !== undefined) this.#open.push(closer);
    else if (word === this.#open.at(-1)) {
      this.#open.pop();
      this.#commandPosition = true; // `fi fi`
    } else if (word === 'function') this.#functionName = true;
  }
}

function joinComments(pieces: readonly string[]): string[] {
  const joined: string[] = [];
  for (const piece of pieces.filter((each) => each.trim() !== '')) {
    const isComment = isCommentOnly(piece);
    const before = joined.pop();
    if (before === undefined) joined.push(piece);
    else if (isComment || isCommentOnly(before)) joined.push(`${before}\n${piece}`);
    else joined.push(before, piece);
  }
  return joined.length === 0 ? [''] : joined;
}

function isCommentOnly(statement: string): boolean {
  return statement.split('\n').every((line) => /^\s*(#|$)/.test(line));
}

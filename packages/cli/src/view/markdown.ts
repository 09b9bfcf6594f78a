/**
 * Markdown on a terminal: headings, emphasis, code, lists, quotes and rules are painted; everything else, such as tables and links, stays as
 * it was written. Text is painted while it is streamed: only what may still turn out to be markup is held back.
 */
import { PLAIN, type Style } from './style.ts';

/** A span of code, or of strong text, within one line. */
const SPAN = /(?<!`)(`+)(?!`)(.{1,2000}?)(?<!`)\1(?!`)|\*\*(?=\S)(.{1,2000}?)(?<=\S)\*\*/g;
const FENCE = /^ {0,3}(?:`{3,}|~{3,})/;
/** The beginning of a line that may still become markup of the whole line. */
const UNDECIDED = /^\s*(?:#{0,6} *|[-*+]|`{1,}|~{1,}|(?:[-*_] ?)+)?$/;
const RULE = /^\s{0,3}(?:(?:- ?){3,}|(?:\* ?){3,}|(?:_ ?){3,})$/;
const RULE_WIDTH = 24;
/** Longer text is shown, even if a span in it is still open. */
const LONGEST_HELD = 2_000;

/** Lines of Markdown, painted. Without colours the text is left as it is. */
export function markdownLines(words: string, style: Style): string[] {
  const painter = new MarkdownPainter(style);
  return `${painter.push(words)}${painter.end()}`.split('\n');
}

export class MarkdownPainter {
  readonly #style: Style;
  #held = '';
  #isInFence = false;
  /** How the rest of the current line is painted; null at the beginning of a line. */
  #rest: ((text: string) => string) | null = null;

  constructor(style: Style) {
    this.#style = style;
  }

  /** What can be shown of the text so far. */
  push(text: string): string {
    if (this.#style === PLAIN) return text;
    this.#held += text;
    let shown = '';
    for (let end = this.#held.indexOf('\n'); end !== -1; end = this.#held.indexOf('\n')) {
      shown += `${this.#line(this.#held.slice(0, end))}\n`;
      this.#held = this.#held.slice(end + 1);
    }
    return shown + this.#part();
  }

  /** What was held back. */
  end(): string {
    const shown = this.#held === '' ? '' : this.#line(this.#held);
    this.#held = '';
    this.#isInFence = false;
    this.#rest = null;
    return shown;
  }

  /** The rest of a line that is complete. */
  #line(line: string): string {
    const shown = this.#rest === null ? this.#whole(line) : this.#rest(line);
    this.#rest = null;
    return shown;
  }

  #whole(line: string): string {
    const { dim } = this.#style;
    if (FENCE.test(line)) {
      this.#isInFence = !this.#isInFence;
      return dim(line);
    }
    if (!this.#isInFence && RULE.test(line)) return dim('─'.repeat(RULE_WIDTH));
    const { head, paint, rest } = this.#begun(line);
    return head + paint(rest);
  }

  /** As much of an unfinished line as is certain. */
  #part(): string {
    if (this.#held === '') return '';
    let head = '';
    if (this.#rest === null) {
      if (UNDECIDED.test(this.#held) || FENCE.test(this.#held)) return '';
      const begun = this.#begun(this.#held);
      head = begun.head;
      this.#rest = begun.paint;
      this.#held = begun.rest;
    }
    const safe = this.#isInFence ? this.#held.length : certainLength(this.#held);
    const shown = this.#rest(this.#held.slice(0, safe));
    this.#held = this.#held.slice(safe);
    return head + shown;
  }

  /** The rest of a line after its first characters. */
  #begun(line: string): {
    readonly head: string;
    readonly paint: (text: string) => string;
    readonly rest: string;
  } {
    const { bold, dim, cyan } = this.#style;
    if (this.#isInFence) return { head: '', paint: cyan, rest: line };
    const [heading] = /^ {0,3}#{1,6} +/.exec(line) ?? [];
    if (heading !== undefined) return { head: '', paint: bold, rest: line.slice(heading.length) };
    const inline = (text: string) => this.#inline(text);
    const [bullet, space = ''] = /^(\s*)[-*+] /.exec(line) ?? [];
    if (bullet !== undefined) return { head: `${space}• `, paint: inline, rest: line.slice(bullet.length) };
    const [quote] = /^ {0,3}> ?/.exec(line) ?? [];
    if (quote !== undefined)
      return { head: dim('│ '), paint: (text) => dim(text), rest: line.slice(quote.length) };
    return { head: '', paint: inline, rest: line };
  }

  #inline(text: string): string {
    const { bold, cyan } = this.#style;
    return text.replace(
      SPAN,
      (_, _ticks: string | undefined, code: string | undefined, strong: string | undefined) =>
        code === undefined ? bold(this.#inline(strong ?? '')) : cyan(code),
    );
  }
}

/** How many characters hold no span that is still open. */
function certainLength(text: string): number {
  if (text.length > LONGEST_HELD) return text.length;
  let from = 0;
  for (const { 0: span, index } of text.matchAll(SPAN)) {
    const open = openAt(text.slice(from, index));
    if (open !== undefined) return from + open;
    // The closing mark may still become longer.
    if (index + span.length === text.length) return index;
    from = index + span.length;
  }
  return from + (openAt(text.slice(from)) ?? text.length - from);
}

/** Where a mark stands that may still begin a span. */
function openAt(text: string): number | undefined {
  const at = text.search(/`|\*\*|\*$/);
  return at === -1 ? undefined : at;
}

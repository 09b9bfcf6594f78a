/**
 * Markdown as markup: paragraphs, headings, lists, quotes, code, tables, emphasis and links; a part of CommonMark and of GitHub's tables.
 * HTML in it is text, and images stay as they were written: the page loads nothing.
 */
import { say } from './say.ts';

/** Deeper nesting is shown as text. */
const MOST_DEPTH = 8;

const FENCE = /^ {0,3}(`{3,}|~{3,})(?!.*`)/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t#]*$/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( *)(?:[-*+]|(\d{1,9})[.)])[ \t]+(?=\S)/;
const ROW = /^ {0,3}\|.*\|[ \t]*$/;
const TABLE_LINE = /^ {0,3}\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*$/;

export function markdownMarkup(text: string): string {
  return blocks(text.replaceAll('\r\n', '\n').split('\n'), 0);
}

/** A block that begins at a line: its markup, and the line after it. */
type Block = readonly [markup: string, next: number];

function blocks(lines: readonly string[], depth: number): string {
  let markup = '';
  let at = 0;
  while (at < lines.length) {
    const [block, next] = depth < MOST_DEPTH ? blockAt(lines, at, depth) : paragraph(lines, at);
    markup += block;
    at = next;
  }
  return markup;
}

function blockAt(lines: readonly string[], at: number, depth: number): Block {
  const line = lines[at] ?? '';
  if (line.trim() === '') return ['', at + 1];
  const [, fence] = FENCE.exec(line) ?? [];
  if (fence !== undefined) return code(lines, at, fence);
  const [, marks, title] = HEADING.exec(line) ?? [];
  if (marks !== undefined) {
    const tag = marks.length < 3 ? 'h3' : 'h4';
    return [`<${tag}>${inline(title ?? '')}</${tag}>`, at + 1];
  }
  if (RULE.test(line)) return ['<hr>', at + 1];
  if (QUOTE.test(line)) return quote(lines, at, depth);
  if (ITEM.test(line)) return list(lines, at, depth);
  if (ROW.test(line) && TABLE_LINE.test(lines[at + 1] ?? '')) return table(lines, at);
  return paragraph(lines, at);
}

/** A fenced block, up to its closing line or the end of the text. */
function code(lines: readonly string[], at: number, fence: string): Block {
  const closing = new RegExp(`^ {0,3}${fence[0] === '~' ? '~' : '`'}{${fence.length},}[ \\t]*$`);
  const end = endOf(lines, at + 1, (line) => !closing.test(line));
  return [`<pre>${say(lines.slice(at + 1, end).join('\n'))}</pre>`, end + 1];
}

function quote(lines: readonly string[], at: number, depth: number): Block {
  const end = endOf(lines, at, (line) => QUOTE.test(line));
  const inner = lines.slice(at, end).map((line) => line.replace(QUOTE, ''));
  return [`<blockquote>${blocks(inner, depth + 1)}</blockquote>`, end];
}

/** Lines that are indented like the text of an item belong to it. */
function list(lines: readonly string[], at: number, depth: number): Block {
  const [, indent = '', number] = ITEM.exec(lines[at] ?? '') ?? [];
  const isSibling = (line: string) => {
    const [, own, ownNumber] = ITEM.exec(line) ?? [];
    return own === indent && (ownNumber === undefined) === (number === undefined);
  };
  const items: string[] = [];
  let next = at;
  while (next < lines.length && isSibling(lines[next] ?? '')) {
    const [mark = ''] = ITEM.exec(lines[next] ?? '') ?? [];
    const end = endOf(lines, next + 1, (line, i) => belongs(line, lines[i + 1], indent.length));
    const inner = [
      (lines[next] ?? '').slice(mark.length),
      ...lines.slice(next + 1, end).map((line) => outdented(line, mark.length)),
    ];
    items.push(`<li>${itemMarkup(inner, depth)}</li>`);
    next = end;
  }
  const tag = number === undefined ? 'ul' : 'ol';
  const start = number === undefined || Number(number) === 1 ? '' : ` start="${Number(number)}"`;
  return [`<${tag}${start}>${items.join('')}</${tag}>`, next];
}

function belongs(line: string, following: string | undefined, indent: number): boolean {
  const spaces = line.length - line.trimStart().length;
  if (line.trim() !== '') return spaces > indent;
  return following !== undefined && following.trim() !== '' && belongs(following, undefined, indent);
}

function outdented(line: string, by: number): string {
  return line.slice(Math.min(by, line.length - line.trimStart().length));
}

/** The first line of an item is not a paragraph, so that short lists stay compact. */
function itemMarkup(lines: readonly string[], depth: number): string {
  const [first = '', ...rest] = lines;
  return `${inline(first)}${rest.length === 0 ? '' : blocks(rest, depth + 1)}`;
}

function table(lines: readonly string[], at: number): Block {
  const end = endOf(lines, at + 2, (line) => ROW.test(line));
  const row = (line: string, tag: string) =>
    `<tr>${cells(line)
      .map((cell) => `<${tag}>${inline(cell)}</${tag}>`)
      .join('')}</tr>`;
  const body = lines.slice(at + 2, end).map((line) => row(line, 'td'));
  return [`<table>${row(lines[at] ?? '', 'th')}${body.join('')}</table>`, end];
}

function cells(line: string): string[] {
  return line
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** A paragraph; its line breaks are kept. */
function paragraph(lines: readonly string[], at: number): Block {
  const begins = (line: string, i: number) =>
    line.trim() === '' ||
    FENCE.test(line) ||
    HEADING.test(line) ||
    RULE.test(line) ||
    QUOTE.test(line) ||
    ITEM.test(line) ||
    (ROW.test(line) && TABLE_LINE.test(lines[i + 1] ?? ''));
  const end = endOf(lines, at + 1, (line, i) => !begins(line, i));
  return [`<p>${inline(lines.slice(at, end).join('\n'))}</p>`, end];
}

/** The first line from `from` on that is not one of these. */
function endOf(
  lines: readonly string[],
  from: number,
  fits: (line: string, index: number) => boolean,
): number {
  let end = from;
  while (end < lines.length && fits(lines[end] ?? '', end)) end += 1;
  return end;
}

/** Code, strong text, emphasis, links; in this order, so that marks in code are text. Limited in length, so that backtracking is limited too. */
const SPAN =
  /(?<!`)(?<ticks>`+)(?!`)(?<code>.{1,2000}?)(?<!`)\k<ticks>(?!`)|\*\*(?=\S)(?<strong>.{1,2000}?)(?<=\S)\*\*|(?<![\w*])\*(?=[^\s*])(?<soft>[^*]{1,2000}?)(?<=[^\s*])\*(?![\w*])|(?<!!)\[(?<label>[^\][]{1,2000})\]\((?<url>https?:\/\/[^\s()<>"]+)\)/gs;

function inline(text: string, depth = 0): string {
  if (depth === MOST_DEPTH) return say(text);
  let markup = '';
  let from = 0;
  for (const { 0: whole, index, groups = {} } of text.matchAll(SPAN)) {
    markup += say(text.slice(from, index));
    from = index + whole.length;
    const { code: raw, strong, soft, label, url } = groups;
    if (raw !== undefined) markup += `<code>${say(raw)}</code>`;
    else if (strong !== undefined) markup += `<strong>${inline(strong, depth + 1)}</strong>`;
    else if (soft !== undefined) markup += `<em>${inline(soft, depth + 1)}</em>`;
    else markup += `<a href="${say(url ?? '')}" rel="noreferrer">${say(label ?? '')}</a>`;
  }
  return markup + say(text.slice(from));
}

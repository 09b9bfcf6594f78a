/** A page as Markdown: its article if it has one, or else the whole page; URLs are made absolute. */
import { headOf } from '@longhand/sdk/value';
import type TurndownService from 'turndown';
import { parseDocument } from './document.ts';
import { tables } from './tables.ts';

export interface ReadPage {
  readonly title: string;
  readonly markdown: string;
  /** Whether the page has more than the article. */
  readonly isArticle: boolean;
}

/** Beyond this the parser takes quadratic time. */
const MAX_DEPTH = 500;
/** Each element takes kilobytes and up to 0.1 ms of blocking time. */
const MAX_TAGS = 60_000;
/** Characters times depth: each surrounding element copies the text again. */
const MAX_WRITTEN = 300_000_000;
/** Elements without readable content. */
const UNREADABLE = 'script, style, noscript, template, svg, iframe, object, canvas, link, meta, [hidden]';

export async function readPage(html: string, url: string, whole: boolean): Promise<ReadPage> {
  if (isTooMuch(html)) return { title: titleIn(html), markdown: strippedText(html), isArticle: false };
  const { default: Turndown } = await import('turndown');
  const turndown = new Turndown({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    emDelimiter: '*',
  }).use(tables);
  const article = whole ? null : await articleOf(html, url, turndown);
  if (article !== null) return article;
  const document = await parseDocument(html, url);
  for (const each of Array.from(document.querySelectorAll(UNREADABLE))) each.remove();
  const markdown = turndown.turndown(document.body as never).trim();
  return { title: titleLine(document.title), markdown, isArticle: false };
}

/** Null if there is no article. */
async function articleOf(html: string, url: string, turndown: TurndownService): Promise<ReadPage | null> {
  const { default: readability } = await import('@mozilla/readability');
  const { Readability, isProbablyReaderable } = readability;
  const document = await parseDocument(html, url);
  if (!isProbablyReaderable(document as never)) return null;
  const title = document.title;
  const reader = new Readability(document as never, { keepClasses: true, serializer: (node) => node });
  let article: ReturnType<typeof reader.parse>;
  try {
    article = reader.parse();
  } catch {
    // Readability expects a browser's document; if it fails, the whole page is shown
    return null;
  }
  if (!article?.content) return null;
  const markdown = turndown.turndown(article.content as never).trim();
  return markdown === '' ? null : { title: titleLine(article.title || title), markdown, isArticle: true };
}

/** Elements that are closed implicitly, and therefore not nested. */
const SHALLOW = new Set(
  'area base br col embed hr img input link meta param source track wbr html head body p li dt dd tr td th thead tbody tfoot option'.split(
    ' ',
  ),
);

/** Any tag; bounded, so that no input makes it slow. */
const TAG = /<(\/?)([a-z][\w-]{0,40})[^<>]*>/gi;

/** Whether parsing would take too long, estimated from the number of tags and their nesting without a parser. */
export function isTooMuch(html: string): boolean {
  let tags = 0;
  let depth = 0;
  let deepest = 0;
  for (const [tag, slash, name = ''] of html.matchAll(TAG)) {
    tags += 1;
    if (tags > MAX_TAGS) return true;
    if (SHALLOW.has(name.toLowerCase()) || tag.endsWith('/>')) continue;
    depth = slash === '/' ? Math.max(0, depth - 1) : depth + 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest > MAX_DEPTH || deepest * html.length > MAX_WRITTEN;
}

function titleIn(html: string): string {
  return titleLine(decoded(/<title[^<>]*>([^<]*)/i.exec(html)?.[1] ?? ''));
}

const TITLE_CHARACTERS = 300;

/** The title is repeated in every part of the page, so its length is limited. */
function titleLine(title: string): string {
  const line = title.trim().replace(/\s+/g, ' ');
  return line.length <= TITLE_CHARACTERS ? line : `${headOf(line, TITLE_CHARACTERS)}...`;
}

/** Elements whose text is not shown. */
const SILENT = new Set(['script', 'style', 'template', 'svg', 'noscript', 'title']);

/** Inline elements. */
const IN_LINE = new Set(
  'a abbr b bdi bdo cite code del dfn em font i ins kbd label mark q s samp small span strong sub sup td th time u var'.split(
    ' ',
  ),
);

/** The text of a page with line breaks. */
export function strippedText(html: string): string {
  const words: string[] = [];
  let silent: string | undefined;
  let last = 0;
  for (const { 0: tag, 1: slash, 2: written = '', index } of html.matchAll(TAG)) {
    const name = written.toLowerCase();
    if (silent === undefined) words.push(html.slice(last, index), IN_LINE.has(name) ? '' : '\n');
    if (silent === undefined && slash === '' && SILENT.has(name)) silent = name;
    else if (slash === '/' && name === silent) silent = undefined;
    last = index + tag.length;
  }
  if (silent === undefined) words.push(html.slice(last));
  return decoded(words.join(' '))
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n[ \n]*/g, '\n')
    .trim();
}

const ENTITIES: { readonly [name: string]: string } = {
  amp: '&',
  apos: "'",
  gt: '>',
  lt: '<',
  nbsp: ' ',
  quot: '"',
};

/** The common entities; others are not decoded. */
function decoded(text: string): string {
  return text.replace(/&(?:#(\d{1,6})|([a-z]{2,4}));/g, (whole, code?: string, name = '') =>
    code === undefined ? (ENTITIES[name] ?? whole) : String.fromCodePoint(Number(code)).toWellFormed(),
  );
}

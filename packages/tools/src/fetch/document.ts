/** Adapts documents of domino, which comes with turndown, to Readability, which expects a browser's. */

/** The part of a document that is used here. */
export interface PageDocument {
  readonly title: string;
  readonly body: PageElement;
  querySelectorAll(selector: string): ArrayLike<PageElement>;
  getElementsByTagName(name: string): object;
  createTreeWalker(root: PageElement, what: number): { nextNode(): { data: string } | null };
}

export interface PageElement {
  readonly firstElementChild: PageElement | null;
  readonly nextElementSibling: PageElement | null;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  remove(): void;
}

/** The document with absolute URLs and without images in data URLs. */
export async function parseDocument(html: string, url: string): Promise<PageDocument> {
  const { default: domino } = await import('@mixmark-io/domino');
  const document = domino.createDocument(html, true);
  for (const name of ['HTMLElement', 'SVGElement'])
    define(domino.impl[name]?.prototype, 'children', { get: children });
  define(Object.getPrototypeOf(document.getElementsByTagName('a')), Symbol.iterator, { value: snapshot });

  const [base] = Array.from(document.querySelectorAll('base[href]'));
  const baseUrl = URL.parse(base?.getAttribute('href') ?? '', url)?.href ?? url;
  define(document, 'baseURI', { value: baseUrl });
  for (const each of Array.from(document.querySelectorAll('img[src^="data:"]'))) each.remove();
  complete(document, 'a', 'href', baseUrl);
  complete(document, 'img', 'src', baseUrl);
  shortenBlanks(document);
  return document;
}

/** Longer runs of white space are shortened: Turndown's patterns take quadratic time for them. */
const LONG_BLANKS = /(\s{100})\s+/g;
const TEXT_NODES = 4;

function shortenBlanks(document: PageDocument): void {
  for (const name of ['alt', 'title'])
    for (const each of Array.from(document.querySelectorAll(`[${name}]`)))
      each.setAttribute(name, (each.getAttribute(name) ?? '').replace(LONG_BLANKS, '$1'));
  const texts = document.createTreeWalker(document.body, TEXT_NODES);
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
    text.data = text.data.replace(LONG_BLANKS, '$1');
}

function define(target: object | undefined, key: PropertyKey, how: PropertyDescriptor): void {
  if (target !== undefined) Object.defineProperty(target, key, { ...how, configurable: true });
}

/** Domino updates its own list only when its length is read, which Readability does not do. */
function children(this: PageElement): PageElement[] {
  const found: PageElement[] = [];
  for (let each = this.firstElementChild; each !== null; each = each.nextElementSibling) found.push(each);
  return found;
}

/** Domino's live lists are not iterable, and change during a loop. */
function snapshot(this: ArrayLike<unknown>): Iterator<unknown> {
  return Array.prototype.slice.call(this)[Symbol.iterator]();
}

function complete(document: PageDocument, name: string, attribute: string, baseUrl: string): void {
  for (const each of Array.from(document.querySelectorAll(`${name}[${attribute}]`))) {
    const address = each.getAttribute(attribute) ?? '';
    if (!address.startsWith('#')) each.setAttribute(attribute, URL.parse(address, baseUrl)?.href ?? address);
  }
}

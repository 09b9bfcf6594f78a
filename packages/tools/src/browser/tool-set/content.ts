import type { Frame } from 'playwright-core';
import { isTooMuch, strippedText } from '../../fetch/page.ts';
import { tables } from '../../fetch/tables.ts';
import { answered } from '../observed/snapshot.ts';
import type { Tab } from '../pages/tabs.ts';

const SLICE = 30_000;
const PARAGRAPH_WITHIN = 500;
const SENTENCE_WITHIN = 200;

/** The text of a page as Markdown, followed by the text of its frames. Without `links`, only the text of a link is kept. */
export async function markdownOf({ page }: Tab, links: boolean): Promise<string> {
  const texts: string[] = [];
  for (const frame of page.frames()) {
    const markdown = await toMarkdown(await htmlOf(frame, page.mainFrame()), links);
    if (frame === page.mainFrame()) texts.push(markdown);
    else if (markdown !== '') texts.push(`--- In a frame (${frame.url()}) ---\n\n${markdown}`);
  }
  return texts.join('\n\n').trim();
}

async function htmlOf(frame: Frame, main: Frame): Promise<string> {
  const asked = answered(frame.page(), () => frame.evaluate(shownHtml));
  // A frame that is removed meanwhile has no text; the page itself must answer.
  return frame === main ? await asked : await asked.catch(() => '');
}

async function toMarkdown(html: string, links: boolean): Promise<string> {
  if (isTooMuch(html)) return strippedText(html);
  const { default: Turndown } = await import('turndown');
  const turndown = new Turndown({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' });
  if (!links) turndown.addRule('link', { filter: 'a', replacement: (content) => content });
  turndown.use(tables);
  return turndown
    .turndown(html)
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

export interface Slice {
  readonly text: string;
  /** Where the next slice begins; null if this is the last one. */
  readonly next: number | null;
}

/** A part of a long text. It ends at the end of a paragraph or sentence, if there is one nearby. */
export function sliceOf(whole: string, start: number): Slice {
  const most = start + SLICE;
  if (most >= whole.length) return { text: whole.slice(start), next: null };
  const paragraph = whole.lastIndexOf('\n\n', most - 2);
  const tail = whole.slice(most - SENTENCE_WITHIN, most);
  const sentence = Math.max(...['. ', '! ', '? ', '.\n'].map((end) => tail.lastIndexOf(end)));
  const next =
    paragraph >= most - PARAGRAPH_WITHIN
      ? paragraph + 2
      : sentence >= 0
        ? most - SENTENCE_WITHIN + sentence + 2
        : most;
  return { text: whole.slice(start, next), next };
}

/** The part of the DOM's types that is used here. */
interface PageNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly textContent: string | null;
  readonly childNodes: Iterable<PageNode>;
  readonly shadowRoot?: PageNode | null;
  readonly href?: unknown;
  readonly alt?: unknown;
  assignedNodes?(options: { readonly flatten: boolean }): readonly PageNode[];
}

interface PageWindow {
  readonly document: { readonly body: PageNode | null };
  getComputedStyle(node: PageNode): { readonly display: string; readonly visibility: string };
}

/** Runs in the page. Returns its visible part, shadow trees in place, as HTML without attributes except for links. */
function shownHtml(): string {
  const page = globalThis as unknown as PageWindow;
  const SILENT = /^(script|style|noscript|template|svg|canvas|iframe|object|video|audio|head|datalist)$/;
  const VOID = /^(br|hr|input|wbr)$/;
  const escaped = (text: string) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
  const linkOf = (tag: string, node: PageNode): string =>
    tag === 'a' && typeof node.href === 'string' ? ` href="${escaped(node.href)}"` : '';
  const childrenOf = (node: PageNode): Iterable<PageNode> => {
    const assigned = node.nodeName === 'SLOT' ? (node.assignedNodes?.({ flatten: true }) ?? []) : [];
    return assigned.length > 0 ? assigned : (node.shadowRoot ?? node).childNodes;
  };
  const htmlOfNode = (node: PageNode): string => {
    if (node.nodeType === 3) return escaped(node.textContent ?? '');
    const tag = node.nodeName.toLowerCase();
    if (node.nodeType !== 1 || SILENT.test(tag)) return '';
    const { display, visibility } = page.getComputedStyle(node);
    if (display === 'none' || visibility === 'hidden') return '';
    if (tag === 'img') return String(node.alt ?? '') === '' ? '' : `[${escaped(String(node.alt))}]`;
    if (VOID.test(tag)) return tag === 'input' ? '' : `<${tag}>`;
    const inner = Array.from(childrenOf(node), htmlOfNode).join('');
    // Elements of unknown kind are inline or block as the page renders them.
    const shown = /-|^slot$/.test(tag)
      ? display.startsWith('inline') || display === 'contents'
        ? 'span'
        : 'div'
      : tag;
    return `<${shown}${linkOf(tag, node)}>${inner}</${shown}>`;
  };
  return page.document.body === null ? '' : htmlOfNode(page.document.body);
}

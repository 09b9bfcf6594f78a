import { defined } from '@longhand/sdk/value';
import type { Page } from 'playwright-core';
import { NoAnswerError } from '../engine/engine.ts';
import { inTime } from '../in-time.ts';
import type { Tab } from '../pages/tabs.ts';
import { type AriaNode, walk } from './aria-node.ts';
import { withoutPasswords } from './passwords.ts';

/** A node as Playwright returns it: text between elements is a string. */
type RawNode = string | (Omit<AriaNode, 'children'> & { readonly children?: readonly RawNode[] });

/** What a page showed at one point in time. */
export interface Snapshot {
  readonly url: string;
  readonly title: string;
  readonly nodes: readonly AriaNode[];
  /** The elements that can be clicked or typed into, in document order. */
  readonly elements: readonly (AriaNode & { readonly ref: string })[];
  /** The ref of the focused element; empty if the page itself has the focus. */
  readonly focused: string;
}

const INTERACTIVE: ReadonlySet<string> = new Set([
  'button',
  'checkbox',
  'combobox',
  'link',
  'listbox',
  'menuitem',
  'menuitemcheckbox',
  'menuitemradio',
  'option',
  'radio',
  'searchbox',
  'slider',
  'spinbutton',
  'switch',
  'tab',
  'textbox',
  'treeitem',
]);

const FIELDS: ReadonlySet<string> = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton', 'slider']);

/** How long a page may take to describe itself; a script that never ends keeps it from answering. */
const ANSWER_MS = 15_000;
const FIRST_ANSWER_MS = 5_000;

/** Reads the accessibility tree of a tab. Throws NoAnswerError if the page is busy for too long. */
export async function takeSnapshot({ page }: Tab, signal: AbortSignal): Promise<Snapshot> {
  const [nodes, title] = await Promise.all([
    answered(page, () => page.ariaSnapshotJSON({ mode: 'ai', boxes: true, timeout: ANSWER_MS, signal })),
    answered(page, () => page.title()),
  ]);
  const tree = await withoutPasswords(page, nodesOf(nodes as unknown as readonly RawNode[]));
  return {
    url: page.url(),
    title,
    nodes: tree,
    elements: interactive(tree),
    focused: focusedIn(tree),
  };
}

function nodesOf(raw: readonly RawNode[]): readonly AriaNode[] {
  return raw.map((node): AriaNode => {
    if (typeof node === 'string') return { role: 'text', text: node };
    const { children, ...rest } = node;
    return { ...rest, role: String(rest['role']), ...defined({ children: children && nodesOf(children) }) };
  });
}

/**
 * The answer to a question that may be asked twice, since an answer is lost if the page navigates at that moment. Throws
 * NoAnswerError if there is none in time.
 */
export async function answered<T>(page: Page, ask: () => Promise<T>): Promise<T> {
  const asked = () => ask().then((value) => ({ value }));
  const first = asked();
  const answer =
    (await inTime(first, FIRST_ANSWER_MS)) ??
    // The first answer may still come: large pages take long.
    (await inTime(Promise.race([first, asked()]), ANSWER_MS - FIRST_ANSWER_MS));
  if (answer !== undefined) return answer.value;
  throw new NoAnswerError(
    `The page ${page.url()} does not answer: one of its scripts is busy, or the page is too large. Wait and try again, or go to another page.`,
  );
}

export function isClickable(node: AriaNode): boolean {
  return INTERACTIVE.has(node.role) || node.cursor === 'pointer';
}

/** The value of a field; undefined for other nodes, whose text is their content. */
export function fieldValue(node: AriaNode): string | undefined {
  return FIELDS.has(node.role) ? node.text : undefined;
}

/** The label of a node: its name, or the text of its descendants. */
export function labelOf(node: AriaNode): string {
  if (node.name !== undefined && node.name !== '') return node.name;
  if (FIELDS.has(node.role)) return '';
  const parts = [...walk([node])].map(([each]) => each.text ?? (each === node ? '' : (each.name ?? '')));
  return parts
    .filter((part) => part !== '')
    .join(' ')
    .trim();
}

function interactive(nodes: readonly AriaNode[]): Snapshot['elements'] {
  const found: (AriaNode & { readonly ref: string })[] = [];
  for (const [node] of walk(nodes)) {
    if (node.ref !== undefined && isClickable(node)) found.push({ ...node, ref: node.ref });
  }
  return found;
}

/** The ref of the focused element, which may be inside a focused frame. */
function focusedIn(nodes: readonly AriaNode[]): string {
  for (const [node] of walk(nodes)) {
    if (node.active !== true || node.ref === undefined) continue;
    if (node.role === 'iframe') return focusedIn(node.children ?? []) || node.ref;
    if (node.role !== 'generic') return node.ref;
  }
  return '';
}

/** Properties that a line shows elsewhere or that only programs need. */
const NOT_A_FLAG = new Set(['role', 'name', 'text', 'children', 'ref', 'cursor', 'box', 'active']);

/**
 * The accessibility tree as text: one node per line, one tab per level, `[bid] role 'name' value='..', flags`. Text that
 * belongs to no element is `StaticText`.
 */
export function treeText(snapshot: Snapshot): string {
  const lines: string[] = [`RootWebArea ${quoted(snapshot.title)}, url=${quoted(snapshot.url)}`];
  for (const [node, depth] of walk(snapshot.nodes)) lines.push('\t'.repeat(depth + 1) + lineOf(node));
  return lines.join('\n');
}

function lineOf(node: AriaNode): string {
  if (node.role === 'text') return `StaticText ${quoted(node.text ?? '')}`;
  const value = fieldValue(node);
  const shown = value === undefined ? node.text : undefined;
  const head = [
    ...(node.ref === undefined ? [] : [`[${node.ref}]`]),
    node.role,
    ...(node.name === undefined ? [] : [quoted(node.name)]),
    ...(shown === undefined || shown === '' ? [] : [`text=${quoted(shown)}`]),
    ...(value === undefined ? [] : [`value=${quoted(value)}`]),
  ].join(' ');
  return [head, ...flagsOf(node)].join(', ');
}

function flagsOf(node: AriaNode): string[] {
  const own = Object.entries(node)
    .filter(([name, value]) => !NOT_A_FLAG.has(name) && value !== false && value !== undefined)
    .map(([name, value]) => (value === true ? name : `${name}=${quoted(String(value))}`));
  return [
    ...(isClickable(node) ? ['clickable'] : []),
    ...(node.active === true ? ['focused'] : []),
    ...own.sort(),
  ];
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
}

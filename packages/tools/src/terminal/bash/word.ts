/** Words of a shell text with their quotes removed (bash manual, section 3.1.2). */
import type { Node } from 'web-tree-sitter';
import type { Span } from './script.ts';

export interface Word extends Span {
  /** The word without quotes and backslashes; null if a part is known only at run time. */
  readonly text: string | null;
  /** False if bash expands it: it has an unquoted `*`, `?`, `[`, `{a,b}` or leading `~`. */
  readonly isLiteral: boolean;
}

/** Node types whose text is known without running anything. */
const STATIC = new Set([
  'word',
  'number',
  'variable_name',
  'extglob_pattern',
  'regex',
  'test_operator',
  'brace_expression',
]);

/** The word of these adjacent nodes; `span` also covers escaped characters around them. */
export function wordOf(nodes: readonly Node[], source: string, span = spanOf(nodes)): Word {
  const { start, end } = span;
  const isLiteral = !/[*?[]|\{[^}]*(?:,|\.\.)[^}]*\}|^~/.test(nodes.map(unquoted).join(''));
  const text = joined(nodes, start, source);
  const behind = source.slice(nodes.at(-1)?.endIndex ?? end, end).replace(/\\([\s\S])/g, dropped);
  return { start, end, text: text === null ? null : text + behind, isLiteral };
}

function spanOf(nodes: readonly Node[]): Span {
  return { start: nodes[0]?.startIndex ?? 0, end: nodes.at(-1)?.endIndex ?? 0 };
}

/** The text of a part, or null if it is known only at run time. */
function partOf(node: Node, source: string): string | null {
  const { text } = node;
  if (node.type === 'raw_string') return text.slice(1, -1);
  if (node.type === 'ansi_c_string') return ansiC(text.slice(2, -1));
  if (node.type === 'string') {
    if (node.namedChildren.some((child) => child.type !== 'string_content')) return null;
    const inner = text.slice(text.indexOf('"') + 1, -1);
    return /(?:^|[^\\])(?:\\\\)*[`$][\w({`]/.test(inner) ? null : inner.replace(/\\([$`"\\]|\n)/g, dropped);
  }
  if (['command_name', 'concatenation', 'variable_assignment'].includes(node.type) && node.childCount > 0)
    return joined(node.children, node.startIndex, source);
  if (node.namedChildCount > 0 && node.type !== 'brace_expression') return null;
  if (!STATIC.has(node.type) && node.isNamed) return null;
  return text.replace(/\\([\s\S])/g, dropped);
}

/** The parts of a word from `start` on, with the escaped characters between them. */
function joined(nodes: readonly Node[], start: number, source: string): string | null {
  let text = '';
  let at = start;
  for (const node of nodes) {
    const part = partOf(node, source);
    if (part === null) return null;
    text += source.slice(at, node.startIndex).replace(/\\([\s\S])/g, dropped) + part;
    at = node.endIndex;
  }
  return text;
}

function dropped(_: string, character: string): string {
  return character === '\n' ? '' : character;
}

/** The unquoted text of a node, which bash may expand. */
function unquoted(node: Node): string {
  if (['raw_string', 'ansi_c_string', 'string'].includes(node.type)) return '""';
  if (node.childCount > 0 && node.type !== 'brace_expression') return node.children.map(unquoted).join('');
  return node.text.replace(/\\[\s\S]/g, '""');
}

const NAMED: { readonly [letter: string]: string } = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** `$'...'` (manual, section 3.1.2.4). Null if it contains single bytes that are not characters. */
function ansiC(inner: string): string | null {
  let isText = true;
  const text = inner.replace(
    /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|c([\s\S])|([\s\S]))/g,
    (whole, octal?: string, hex?: string, short?: string, long?: string, control?: string, other = '') => {
      const byte = octal === undefined ? hex && Number.parseInt(hex, 16) : Number.parseInt(octal, 8) & 0xff;
      if (typeof byte === 'number') {
        isText &&= byte > 0 && byte < 0x80;
        return String.fromCharCode(byte);
      }
      if (control !== undefined) return String.fromCharCode(control.charCodeAt(0) & 0x1f);
      const point = short ?? long;
      if (point === undefined) return NAMED[other] ?? (`'"?\\`.includes(other) ? other : whole);
      const code = Number.parseInt(point, 16);
      isText &&= code > 0 && code <= 0x10ffff;
      return isText ? String.fromCodePoint(code) : '';
    },
  );
  return isText ? text : null;
}

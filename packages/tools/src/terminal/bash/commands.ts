/**
 * The simple commands and redirections of a shell text, for judging what it does. What bash decides only at run time
 * (variables, substitutions) is not guessed. A word that consists of escaped blanks is not listed.
 */
import type { Node } from 'web-tree-sitter';
import type { BashGrammar } from './grammar.ts';
import { readTree, type Span } from './script.ts';
import { type Word, wordOf } from './word.ts';

export interface SimpleCommand extends Span {
  /** The name and its arguments, without assignments and redirections. */
  readonly words: readonly Word[];
  /** `NAME=value` before the name or without a command. */
  readonly assignments: readonly Word[];
}

export interface Redirect extends Span {
  /** `>`, `>>`, `<`, `&>`, `>|`, `<<<`, ... */
  readonly operator: string;
  /** Null if it closes a descriptor. */
  readonly target: Word | null;
}

export interface Commands {
  /** In the order of the text, including those in substitutions, functions and branches. */
  readonly commands: readonly SimpleCommand[];
  readonly redirects: readonly Redirect[];
  /** False if the grammar cannot parse all of the text, so that commands may be missing or wrong. */
  readonly isCertain: boolean;
}

const COMMANDS = [
  'command',
  'declaration_command',
  'unset_command',
  'variable_assignment',
  'variable_assignments',
];
const REDIRECTS = ['file_redirect', 'herestring_redirect'];

export function readCommands(grammar: BashGrammar, source: string): Commands {
  const commands = readTree(grammar, source, (root, text) => ({
    commands: root.descendantsOfType(COMMANDS).flatMap((node) => commandOf(node, text)),
    redirects: root.descendantsOfType(REDIRECTS).map((node) => redirectOf(node, text)),
    isCertain: !root.hasError,
  }));
  return commands ?? { commands: [], redirects: [], isCertain: false };
}

function commandOf(node: Node, text: string): SimpleCommand[] {
  const span = { start: node.startIndex, end: node.endIndex };
  if (node.type === 'variable_assignment') {
    const isOfCommand = node.parent !== null && COMMANDS.includes(node.parent.type);
    return isOfCommand ? [] : [{ ...span, words: [], assignments: [wordOf([node], text)] }];
  }
  const isSimple = node.type === 'command' || node.type === 'variable_assignments';
  const parts = node.children.filter((child) => !REDIRECTS.includes(child.type) && child.type !== 'subshell');
  const named = isSimple ? parts.findIndex((child) => child.type !== 'variable_assignment') : 0;
  const first = named === -1 ? parts.length : named;
  return [
    {
      ...span,
      words: wordsOf([...parts.slice(first), ...argumentsBehindHeredoc(node)], text),
      assignments: wordsOf(parts.slice(0, first), text),
    },
  ];
}

/** The grammar attaches such arguments (`cat <<END file`) to the here-document. */
function argumentsBehindHeredoc(node: Node): Node[] {
  const { parent } = node;
  if (parent?.type !== 'redirected_statement' || parent.firstChild?.id !== node.id) return [];
  return parent.children
    .filter((child) => child.type === 'heredoc_redirect')
    .flatMap((child) => child.childrenForFieldName('argument'));
}

/** Joins nodes without a blank between them to words. The grammar leaves some escaped characters between nodes. */
function wordsOf(nodes: readonly Node[], text: string): Word[] {
  const groups: { start: number; end: number; readonly nodes: Node[] }[] = [];
  for (const node of nodes) {
    const group = groups.at(-1);
    const isSame = group !== undefined && group.end >= node.startIndex;
    const between = group === undefined ? '' : text.slice(group.end, node.startIndex);
    const current = isSame ? group : { start: node.startIndex - escapedAtEnd(between), end: 0, nodes: [] };
    if (!isSame) groups.push(current);
    current.nodes.push(node);
    current.end = node.endIndex + escapedAtStart(text, node.endIndex);
  }
  return groups.map((group) => wordOf(group.nodes, text, group));
}

function escapedAtStart(text: string, from: number): number {
  const escaped = /(?:\\[\s\S])*/y;
  escaped.lastIndex = from;
  return escaped.exec(text)?.[0].length ?? 0;
}

function escapedAtEnd(between: string): number {
  return /(?:\\[^\n])*$/.exec(between)?.[0].length ?? 0;
}

function redirectOf(node: Node, text: string): Redirect {
  const operator = node.children.find((child) => !child.isNamed)?.text ?? '';
  const target = node.children.findLast((child) => child.isNamed && child.type !== 'file_descriptor');
  return {
    start: node.startIndex,
    end: node.endIndex,
    operator,
    target: target === undefined ? null : wordOf([target], text),
  };
}

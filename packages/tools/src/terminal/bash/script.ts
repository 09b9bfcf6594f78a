/**
 * Splits a shell text into its top-level statements and checks whether it is complete.
 *
 * The grammar's tree is right for most texts. These rules correct it where bash differs:
 *
 * - `!`, `time`, `time -p`, `coproc` and `coproc NAME` introduce a command, which may be a compound one. They are blanked
 *   out and the text is parsed again.
 * - A line break after assignments ends a statement. The grammar takes the next line for the command that they belong to,
 *   so the break is replaced with `;` and the text is parsed again.
 * - `<<END &&` (or `||`, `|`) at the end of a line needs another command after the body. The grammar takes the body for that
 *   command, so the operator is blanked out and no statement ends after the body.
 * - A backslash at the very end needs another line.
 *
 * Where the tree has errors, ask bash itself: the grammar rejects about four in a thousand statements that bash accepts.
 */
import type { Node } from 'web-tree-sitter';
import type { BashGrammar } from './grammar.ts';

/** A part of a text, in UTF-16 code units; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Script {
  /**
   * Top-level statements. They end at line breaks outside quotes, substitutions, here-documents and compound commands;
   * `;`, `&&`, `||`, `|` and `&` keep statements together. A comment belongs to the statement before it, a leading one to
   * the statement after it. A text with errors is one statement.
   */
  readonly statements: readonly Span[];
  /** Whether a quote, a here-document or a compound command seems to be open at the end. Implies errors. */
  readonly isIncomplete: boolean;
  /** Where the grammar cannot parse the text. Empty if it parsed all of it. */
  readonly errors: readonly Span[];
}

export function readScript(grammar: BashGrammar, source: string): Script {
  const whole = [trimmed(source, { start: 0, end: source.length })];
  const script = readTree(grammar, source, (root, text) => {
    const errors = errorsOf(root);
    if (errors.length > 0) {
      const end = endOfCommands(root, text);
      return { statements: whole, isIncomplete: errors.some((error) => error.end >= end), errors };
    }
    if (endsInBackslash(root, text))
      return {
        statements: whole,
        isIncomplete: true,
        errors: [{ start: text.length - 1, end: text.length }],
      };
    return { statements: statementsOf(root, source), isIncomplete: false, errors };
  });
  return script ?? { statements: whole, isIncomplete: false, errors: whole };
}

/** Reads the text after the rules above have been applied. Null if parsing takes too long. */
export function readTree<T>(
  grammar: BashGrammar,
  source: string,
  look: (root: Node, text: string) => T,
): T | null {
  let text = source;
  for (;;) {
    const read = grammar.read(text, (root) => {
      const again = rewritten(root, text);
      return again === text ? { done: look(root, text) } : { again };
    });
    if (read === null) return null;
    if ('done' in read) return read.done;
    text = read.again;
  }
}

const COMPOUND = String.raw`(?=[ \t]*[{(]|[ \t]+(?:if|for|while|until|case|select|\[\[)\s)`;
const INTRODUCTION = new RegExp(
  String.raw`^(?:time(?:[ \t]+-p)?(?:[ \t]+--)?|coproc(?:[ \t]+[A-Za-z_]\w*${COMPOUND})?)(?=[ \t({])`,
);

/** Applies the rules above. Every character keeps its position. */
function rewritten(root: Node, text: string): string {
  const characters = text.split('');
  for (const node of root.descendantsOfType(['command_name', 'negated_command'])) {
    const isNegated = node.type === 'negated_command';
    const length = isNegated ? 1 : (INTRODUCTION.exec(text.slice(node.startIndex))?.[0].length ?? 0);
    characters.fill(' ', node.startIndex, node.startIndex + length);
  }
  for (const { children } of root.descendantsOfType(['command', 'variable_assignments'])) {
    const parts = children.filter((child) => child.type !== 'comment');
    for (const [i, part] of parts.slice(1).entries()) {
      const before = parts[i];
      if (before?.type !== 'variable_assignment') continue;
      const at = lineBreakBetween(before.endIndex, part.startIndex, text);
      if (at !== -1) characters.fill(' ', before.endIndex, at).fill(';', at, at + 1);
    }
  }
  for (const node of root.descendantsOfType('heredoc_start')) {
    const operator = operatorBehindHeredoc(node, text);
    if (operator !== null) characters.fill(' ', operator.start, operator.end);
  }
  return characters.join('');
}

/** The last line break without a backslash before it, or -1. */
function lineBreakBetween(from: number, to: number, text: string): number {
  const between = text
    .slice(from, to)
    .replace(/#.*/g, (comment) => ' '.repeat(comment.length))
    .replaceAll('\\\n', '  ');
  const at = between.lastIndexOf('\n');
  return at === -1 ? -1 : from + at;
}

/** The error nodes of a tree. Subtrees without errors are skipped. */
function errorsOf(root: Node): Span[] {
  const errors: Span[] = [];
  const open = root.hasError ? [root] : [];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.isError || node.isMissing) errors.push({ start: node.startIndex, end: node.endIndex });
    else if (node.hasError) open.push(...node.children.filter((child) => child.hasError || child.isMissing));
  }
  return errors.sort((a, b) => a.start - b.start);
}

/** The end of the text without trailing comments. */
function endOfCommands(root: Node, text: string): number {
  const last = root.children.findLast((child) => child.type !== 'comment');
  return Math.min(text.trimEnd().length, last?.endIndex ?? text.length);
}

function endsInBackslash(root: Node, text: string): boolean {
  const backslashes = /\\+$/.exec(text)?.[0].length ?? 0;
  return backslashes % 2 === 1 && root.lastChild?.type !== 'comment';
}

function statementsOf(root: Node, source: string): Span[] {
  const nodes = root.namedChildren.filter((node) => node.type !== 'comment');
  const cuts = nodes.slice(1).flatMap((node, i) => {
    const before = nodes[i];
    if (before === undefined || (endsInHeredoc(before) && operatorBehindHeredoc(before, source))) return [];
    // Comments before the line break stay with the previous statement.
    const at = lineBreakBetween(before.endIndex, node.startIndex, source);
    return at === -1 ? [] : [at + 1];
  });
  const edges = [0, ...cuts, source.length];
  return edges.slice(1).map((end, i) => trimmed(source, { start: edges[i] ?? 0, end }));
}

function endsInHeredoc(node: Node): boolean {
  return node.descendantsOfType('heredoc_end').at(-1)?.endIndex === node.endIndex;
}

/** The operator that ends the line in which the last here-document of a node begins, with the blanks before it. */
function operatorBehindHeredoc(node: Node, source: string): Span | null {
  const heredoc = node.descendantsOfType('heredoc_start').at(-1);
  const behind = heredoc && /[^\n]*?([ \t]*(?:&&|\|\||\|&|\|)[ \t]*)\n/y;
  if (behind === undefined) return null;
  behind.lastIndex = heredoc?.endIndex ?? 0;
  const found = behind.exec(source);
  if (found === null) return null;
  const end = found.index + found[0].length - 1;
  return { start: end - (found[1]?.length ?? 0), end };
}

function trimmed(text: string, { start, end }: Span): Span {
  const piece = text.slice(start, end);
  const trimmedEnd = start + piece.trimEnd().length;
  return { start: Math.min(trimmedEnd, start + (/^\n*/.exec(piece)?.[0].length ?? 0)), end: trimmedEnd };
}

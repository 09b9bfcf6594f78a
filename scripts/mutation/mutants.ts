/**
 * The mutants of a source file: small changes, each of which some test should notice. A table says for each type of syntax node
 * which replacements are tried. Left alone: names of modules and of members, types, regular expressions, numbers, and wording
 * that tests do not have to repeat: errors, warnings and notes, descriptions that a model reads, and other literals of five words or more.
 */
import { type AnyNode, type Node, parse } from 'acorn';
import { withoutTypes } from './source.ts';

export interface Mutant {
  /** Offsets in the source without types, which are also those in the source. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** An offset that is reached exactly if the changed code is. */
  readonly runsAt: number;
  /** From 1. */
  readonly line: number;
  /** What was there, in one line. */
  readonly original: string;
}

/** A node with the nodes around it, the innermost first. */
interface Place {
  readonly node: AnyNode;
  readonly around: readonly AnyNode[];
}

/** Part of the source, and what to put in its place. */
type Change = readonly [part: Node, replacement: string];

/** As the type of a part that is an operator. */
const OPERATOR = 'Operator';

/** In the order of the source. Throws a SyntaxError for a source that is none. */
export function mutantsOf(source: string): Mutant[] {
  const code = withoutTypes(source);
  const program = parse(code, { ecmaVersion: 'latest', sourceType: 'module' });
  return placesOf(program as AnyNode)
    .flatMap((place) => changesOf(place, code).map((change) => [place.node, ...change] as const))
    .map(([node, { type, start, end }, replacement]) => ({
      start,
      end,
      replacement,
      // What follows an operator may never run.
      runsAt: type === OPERATOR ? node.start : start,
      line: code.slice(0, start).split('\n').length,
      original: code.slice(start, end).replaceAll(/\s+/g, ' '),
    }))
    .filter((mutant) => mutant.original !== mutant.replacement)
    .sort((a, b) => a.start - b.start || a.end - b.end);
}

function placesOf(node: AnyNode, around: readonly AnyNode[] = []): Place[] {
  if (isLeftAlone(node)) return [];
  const inside = [node, ...around];
  const children = Object.values(node).flatMap((value: unknown) => (Array.isArray(value) ? value : [value]));
  return [{ node, around }, ...children.filter(isNode).flatMap((child) => placesOf(child, inside))];
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

const TOLD = /^(#?warn|#?note|onWarning|onNote|log|debug)$/i;

/** Imports, and wording. */
function isLeftAlone(node: AnyNode): boolean {
  if (node.type === 'ImportDeclaration' || node.type === 'ExportAllDeclaration') return true;
  if (node.type === 'Property') return node.key.type === 'Identifier' && node.key.name === 'description';
  if (node.type === 'NewExpression')
    return node.callee.type === 'Identifier' && /Error$/.test(node.callee.name);
  return node.type === 'CallExpression' && TOLD.test(calledName(node.callee));
}

function calledName(callee: AnyNode): string {
  if (callee.type === 'Identifier') return callee.name;
  if (callee.type !== 'MemberExpression') return '';
  return 'name' in callee.property ? callee.property.name : '';
}

function changesOf({ node, around }: Place, code: string): Change[] {
  const text = (part: Node) => code.slice(part.start, part.end);
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
    case 'AssignmentExpression':
      return (OPERATORS[node.operator] ?? []).map((other) => [operatorOf(node, code), other]);
    case 'UpdateExpression':
      return [[node, text(node).replace(node.operator, node.operator === '++' ? '--' : '++')]];
    case 'UnaryExpression':
      return node.operator === '!' || node.operator === '-' ? [[node, `(${text(node.argument)})`]] : [];
    case 'IfStatement':
    case 'ConditionalExpression':
      return [
        [node.test, '(true)'],
        [node.test, '(false)'],
      ];
    case 'WhileStatement':
    case 'DoWhileStatement':
      return [[node.test, '(false)']];
    case 'ForStatement':
      return node.test ? [[node.test, '(false)']] : [];
    case 'ForOfStatement':
    case 'ForInStatement':
      return [[node.body, '{}']];
    case 'Literal':
      return literalChanges(node, around);
    case 'TemplateLiteral':
      return around[0]?.type === 'TaggedTemplateExpression' || isProse(text(node)) ? [] : [[node, '``']];
    case 'ArrayExpression':
      return node.elements.length > 0 ? [[node, '[]']] : [];
    case 'ExpressionStatement':
      return 'directive' in node || code.startsWith('super(', node.start) ? [] : [[node, ';']];
    case 'ContinueStatement':
      return [[node, ';']];
    case 'BreakStatement':
      return around.find(({ type }) => /^(For|While|Do|Switch)/.test(type))?.type === 'SwitchStatement'
        ? []
        : [[node, ';']];
    case 'ReturnStatement':
      return isPlain(node.argument) ? [] : [[node, 'return undefined;']];
    case 'ArrowFunctionExpression':
      return node.expression && !isPlain(node.body) ? [[node.body, '(undefined)']] : [];
    case 'CallExpression':
      return [
        ...callChanges(node, text),
        ...(node.optional ? [[optionalOf(node.callee, code), ''] as const] : []),
      ];
    case 'MemberExpression':
      return node.optional ? [[optionalOf(node.object, code), node.computed ? '' : '.']] : [];
    default:
      return [];
  }
}

const OPERATORS: { readonly [operator: string]: readonly string[] } = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '**': ['*'],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&'],
  '+=': ['-='],
  '-=': ['+='],
  '*=': ['/='],
  '/=': ['*='],
  '??=': ['&&='],
  '||=': ['&&='],
  '&&=': ['||='],
};

function operatorOf(node: { left: Node; right: Node; operator: string }, code: string): Node {
  return firstOf(node.operator, code, node.left.end, node.right.start);
}

/** The `?.` behind a node. */
function optionalOf({ end }: Node, code: string): Node {
  return firstOf('?.', code, end, code.indexOf('?.', end) + 2);
}

/** An operator, where else only spaces, comments and brackets are. */
function firstOf(operator: string, code: string, from: number, to: number): Node {
  const withoutComments = code
    .slice(from, to)
    .replaceAll(/\/\*.*?\*\/|\/\/[^\n]*/gs, (comment) => ' '.repeat(comment.length));
  const start = from + withoutComments.indexOf(operator);
  return { type: OPERATOR, start, end: start + operator.length };
}

function literalChanges(node: AnyNode & { type: 'Literal' }, around: readonly AnyNode[]): Change[] {
  if (typeof node.value === 'boolean') return [[node, String(!node.value)]];
  if (typeof node.value !== 'string') return [];
  const [parent] = around;
  const isName =
    (parent?.type === 'Property' ||
      parent?.type === 'PropertyDefinition' ||
      parent?.type === 'MethodDefinition') &&
    parent.key === node &&
    !parent.computed;
  if (isName || parent?.type === 'ImportExpression' || (parent !== undefined && 'directive' in parent))
    return [];
  if (isProse(node.value)) return [];
  return [[node, node.value === '' ? "'mutated'" : "''"]];
}

function isProse(value: string): boolean {
  return /^`?\w\S* (?:\S+ ){3,}\S+/.test(value);
}

/** Nothing, or what another change covers. */
function isPlain(node: AnyNode | null | undefined): boolean {
  if (node === null || node === undefined) return true;
  if (node.type === 'Identifier') return node.name === 'undefined';
  if (node.type === 'BlockStatement') return true;
  if (node.type === 'Literal')
    return node.value === null || ['boolean', 'string'].includes(typeof node.value);
  return false;
}

const OTHER_METHOD: { readonly [name: string]: string } = {
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  min: 'max',
  max: 'min',
  find: 'findLast',
  findLast: 'find',
  indexOf: 'lastIndexOf',
  toLowerCase: 'toUpperCase',
};
/** What they are called on is left in their place. */
const DROPPED_METHODS = new Set([
  'filter',
  'sort',
  'toSorted',
  'reverse',
  'toReversed',
  'trim',
  'trimEnd',
  'slice',
]);

function callChanges(node: AnyNode & { type: 'CallExpression' }, text: (part: Node) => string): Change[] {
  const { callee } = node;
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return [];
  const { name } = callee.property;
  if (DROPPED_METHODS.has(name) && !callee.optional) return [[node, text(callee.object)]];
  const other = Object.hasOwn(OTHER_METHOD, name) ? OTHER_METHOD[name] : undefined;
  return other === undefined ? [] : [[callee.property, other]];
}

/**
 * Calls as models really write them. Each repair is one that some model needed; what is right already passes unchanged.
 */
import { unwritable } from '../event/unwritable.ts';

export type Arguments = { readonly [name: string]: unknown };
type PropertySchema = { readonly [key: string]: unknown };

/**
 * The arguments of a call. Raw control characters inside strings are escaped if that makes it JSON; what is no object is
 * no arguments. Throws SyntaxError, also for what is nested too deep to be stored.
 */
export function parseArguments(source: string): Arguments {
  if (source.trim() === '') return {};
  const value = parseLeniently(source);
  const fault = unwritable(value);
  if (fault !== undefined) throw new SyntaxError(fault);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return value as Arguments;
}

/** Where null is as good as absent. */
export function withoutNulls(args: Arguments): Arguments {
  return Object.fromEntries(Object.entries(args).filter(([, each]) => each !== null));
}

function parseLeniently(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch (error) {
    const escaped = escapeControlCharacters(source);
    if (escaped === source) throw error;
    return JSON.parse(escaped);
  }
}

/**
 * Only inside string literals: between tokens a line break is white space. A backslash in front of one is no escape but the
 * shell's. In one pass: what was cut off in a text full of quotes would otherwise be gone through from each of them.
 */
function escapeControlCharacters(source: string): string {
  let isInside = false;
  return source.replace(
    /(\\?)([\u0000-\u001f])|\\[\s\S]|"/g,
    (whole, backslash: string, character?: string) => {
      if (whole === '"') isInside = !isInside;
      if (character === undefined || !isInside) return whole;
      return `${backslash}${backslash}\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
    },
  );
}

export interface NamedCall {
  readonly name: string;
  readonly args: Arguments;
}

const TERMINAL_ALIASES = new Set(['bash', 'command', 'execute', 'execute_bash', 'git', 'reset']);
const EDITOR_ALIASES = new Set(['str_replace', 'str_replace_editor']);
const SHELL_WORDS = new Set(['find', 'git', 'ls', 'pwd']);
/** Commands whose name is the beginning of the command line. */
const PREFIXING = new Set(['git', 'reset']);
const META = ['security_risk', 'summary'];

/** The tool that a call means, if its name is not one: other names for the same thing, and debris behind the name. */
export function normalizeName(call: NamedCall, isTool: (name: string) => boolean): NamedCall {
  if (isTool(call.name)) return call;
  const name = /^\s*([A-Za-z_][\w-]*)/.exec(call.name)?.[1] ?? call.name;
  if (isTool(name)) return { ...call, name };
  if (TERMINAL_ALIASES.has(name) && isTool('terminal'))
    return { name: 'terminal', args: shellArguments(name, call.args) };
  if (EDITOR_ALIASES.has(name) && isTool('file_editor')) return { name: 'file_editor', args: call.args };
  if (!isTool('terminal')) return { ...call, name };
  const own = Object.keys(call.args).filter((key) => !META.includes(key));
  if (SHELL_WORDS.has(name) && own.length === 0) {
    return { name: 'terminal', args: { ...metaOf(call.args), command: name } };
  }
  const { pattern } = call.args;
  if (name === 'grep' && typeof pattern === 'string') {
    return { name: 'terminal', args: { ...metaOf(call.args), command: grepCommand(pattern, call.args) } };
  }
  return { ...call, name };
}

function shellArguments(name: string, args: Arguments): Arguments {
  if (!PREFIXING.has(name)) return args;
  const command = typeof args['command'] === 'string' ? args['command'] : '';
  const line = command === name || command.startsWith(`${name} `) ? command : `${name} ${command}`.trim();
  return { ...metaOf(args), command: line };
}

function metaOf(args: Arguments): Arguments {
  return Object.fromEntries(Object.entries(args).filter(([key]) => META.includes(key)));
}

function grepCommand(pattern: string, args: Arguments): string {
  const path = typeof args['path'] === 'string' ? args['path'] : '.';
  const include = typeof args['include'] === 'string' ? ` --include=${quoted(args['include'])}` : '';
  return `grep -rnI${include} -e ${quoted(pattern)} -- ${quoted(path)}`;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

const EDITOR_HINTS = [
  ['old_str', 'str_replace'],
  ['insert_line', 'insert'],
  ['file_text', 'create'],
  ['path', 'view'],
] as const;

const EDITORS = new Set(['file_editor', 'str_replace_editor']);

/** What the editor is to do, told by the parameters that came with it; under the name that V0 gave it too. */
export function inferEditorCommand({ name, args }: NamedCall): Arguments {
  if (!EDITORS.has(name) || args['command'] !== undefined) return args;
  const command = EDITOR_HINTS.find(([key]) => key in args)?.[1];
  return command === undefined ? args : { command, ...args };
}

/** Values whose type is not the parameter's, where it is plain what was meant. */
export function repairTypes(
  args: Arguments,
  properties: { readonly [name: string]: PropertySchema },
): Arguments {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, repaired(value, typesOf(properties, name))]),
  );
}

/** None if the schema does not say it. */
function typesOf(properties: { readonly [name: string]: PropertySchema }, name: string): readonly unknown[] {
  return Object.hasOwn(properties, name) ? [properties[name]?.['type']].flat() : [];
}

function repaired(value: unknown, types: readonly unknown[]): unknown {
  if (typeof value === 'string' && !types.includes('string')) {
    return types.reduce<unknown>((found, type) => found ?? read(value, type), undefined) ?? value;
  }
  if (Array.isArray(value) && types.includes('string') && !types.includes('array')) {
    return value.every((each) => typeof each === 'string') ? value.join('\n') : value;
  }
  return value;
}

const NUMBER = /^\s*-?\d+(\.\d+)?([eE][+-]?\d+)?\s*$/;
const INTEGER = /^\s*-?\d{1,15}\s*$/;
const BOOLEAN = /^\s*(true|false)\s*$/i;

/** What a text says, if it is of that type. */
function read(value: string, type: unknown): unknown {
  switch (type) {
    case 'array':
    case 'object':
      return decoded(value, type);
    case 'boolean':
      return BOOLEAN.test(value) ? value.trim().toLowerCase() === 'true' : undefined;
    case 'integer':
      return INTEGER.test(value) ? Number(value) : undefined;
    case 'number':
      return NUMBER.test(value) && Number.isFinite(Number(value)) ? Number(value) : undefined;
    default:
      return undefined;
  }
}

/** JSON in a string, with or without something behind its last bracket. */
function decoded(value: string, type: 'array' | 'object'): unknown {
  const end = value.lastIndexOf(type === 'array' ? ']' : '}');
  for (const candidate of [value, value.slice(0, end + 1)]) {
    try {
      return JSON.parse(candidate);
    } catch {
      // the schema will say what is wrong with the value as it is
    }
  }
  return undefined;
}

const RISK_SPELLINGS = ['securityRisk', 'security-risk', 'security_risks', 'risk_level', 'securityrisk'];

/** A risk that was given under a name of the model's own. */
export function repairRiskName(args: Arguments, isParameter: (name: string) => boolean): Arguments {
  const misspelt = RISK_SPELLINGS.find((name) => name in args && !isParameter(name));
  if (misspelt === undefined || 'security_risk' in args) return args;
  const { [misspelt]: risk, ...rest } = args;
  return { ...rest, security_risk: typeof risk === 'string' ? risk.toUpperCase() : risk };
}

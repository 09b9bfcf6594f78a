/**
 * Repairs for calls as models really write them. Each repair is one that some model needed; correct calls pass unchanged.
 */
import { unwritable } from '../event/unwritable.ts';
import type { Tool } from './tool.ts';
import type { ToolSet } from './tool-set.ts';
import { type Arguments, askTrait, type NamedCall } from './traits.ts';

type PropertySchema = { readonly [key: string]: unknown };

/**
 * Parses the arguments of a call. Raw control characters inside strings are escaped if that yields valid JSON; a value that is not an
 * object counts as no arguments. Throws SyntaxError, also for values nested too deeply to be stored.
 */
export function parseArguments(source: string): Arguments {
  if (source.trim() === '') return {};
  const value = parseLeniently(source);
  const fault = unwritable(value);
  if (fault !== undefined) throw new SyntaxError(fault);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return value as Arguments;
}

/** The arguments without those that are null. */
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
 * Only inside string literals: between tokens a line break is white space. A backslash before a raw line break is not a JSON escape but
 * the shell's. In one pass: otherwise truncated text full of quotes would be scanned again from each quote.
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

/**
 * The call under the name of a tool: trailing debris is removed from the name, and a name that no tool has is offered to the tools.
 * Under a name that no tool takes over, the call is returned with that name.
 */
export function normalizeName(call: NamedCall, tools: Pick<ToolSet, 'get' | 'tools'>): NamedCall {
  if (tools.get(call.name) !== undefined) return call;
  const name = /^\s*([A-Za-z_][\w-]*)/.exec(call.name)?.[1] ?? call.name;
  if (tools.get(name) !== undefined) return { ...call, name };
  for (const tool of tools.tools) {
    const args = askTrait(() => tool.adoptCall?.({ name, args: call.args }));
    if (args !== undefined) return { name: tool.name, args };
  }
  return { ...call, name };
}

/** The arguments with those that the tool infers from the others. */
export function completeArguments(tool: Tool, args: Arguments): Arguments {
  return askTrait(() => tool.completeArguments?.(args)) ?? args;
}

/** Converts values of the wrong type where the intended value is obvious. */
export function repairTypes(
  args: Arguments,
  properties: { readonly [name: string]: PropertySchema },
): Arguments {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, repaired(value, typesOf(properties, name))]),
  );
}

/** The types of a parameter; none if the schema does not give them. */
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

/** The value that a string spells out, if it is of that type. */
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

/** JSON in a string, with or without text after its last bracket. */
function decoded(value: string, type: 'array' | 'object'): unknown {
  const end = value.lastIndexOf(type === 'array' ? ']' : '}');
  for (const candidate of [value, value.slice(0, end + 1)]) {
    try {
      return JSON.parse(candidate);
    } catch {
      // the schema check reports the value as it is
    }
  }
  return undefined;
}

const RISK_SPELLINGS = ['securityRisk', 'security-risk', 'security_risks', 'risk_level', 'securityrisk'];

/** Renames a risk that the model passed under a similar name. */
export function repairRiskName(args: Arguments, isParameter: (name: string) => boolean): Arguments {
  const misspelt = RISK_SPELLINGS.find((name) => name in args && !isParameter(name));
  if (misspelt === undefined || 'security_risk' in args) return args;
  const { [misspelt]: risk, ...rest } = args;
  return { ...rest, security_risk: typeof risk === 'string' ? risk.toUpperCase() : risk };
}

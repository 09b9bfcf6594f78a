/** The tools that a server lists. Servers may send invalid or too much data: what cannot be used is skipped with a warning. */
import { unescape as decoded } from 'node:querystring';
import type { ToolAnnotations } from '@longhand/sdk';
import { CLIPPED, truncateMiddle } from '@longhand/sdk/internal';
import { defined, isRecord } from '@longhand/sdk/value';

export type Json = { readonly [key: string]: unknown };

export interface Listed {
  /** The server's own name for the tool. */
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of an object, without references. */
  readonly schema: Json;
  /** The server's unchanged schema, for validating arguments. */
  readonly inputSchema: Json;
  readonly annotations: ToolAnnotations;
  /** The tool as the server described it. */
  readonly raw: Json;
}

const MAX_TOOLS = 1_000;
const MAX_PAGES = 1_000;
/** Most faults that are reported one by one. */
const MAX_FAULTS = 8;
const MAX_TOOL_BYTES = 128 * 1024;
const MAX_DESCRIPTION = 8_000;

/** `ask` requests the page after a cursor. Throws an Error if the result is not a list. */
export async function listTools(
  ask: (cursor: string | undefined) => Promise<unknown>,
  warn: (text: string) => void,
): Promise<readonly Listed[]> {
  const tools = new Map<string, Listed>();
  const faults = new Set<string>();
  const seen = new Set<string | undefined>();
  for (let cursor: string | undefined; !seen.has(cursor) && seen.size < MAX_PAGES; ) {
    seen.add(cursor);
    const page = await ask(cursor);
    if (!isRecord(page) || !Array.isArray(page['tools'])) throw new Error('its list of tools is not a list');
    for (const raw of page['tools']) {
      const tool = listed(raw, (fault) => faults.add(fault));
      if (tool === undefined) continue;
      if (tools.has(tool.name)) faults.add(`it has two tools called "${tool.name}": the first is used`);
      else if (tools.size < MAX_TOOLS) tools.set(tool.name, tool);
      else faults.add(`it has too many tools: only the first ${MAX_TOOLS} are used`);
    }
    const next = page['nextCursor'];
    cursor = typeof next === 'string' && next !== '' ? next : undefined;
  }
  const [told, more] = [[...faults].slice(0, MAX_FAULTS), faults.size - MAX_FAULTS];
  told.forEach(warn);
  if (more > 0) warn(`its tools have ${more} further faults`);
  return [...tools.values()];
}

/** Undefined, after a warning, for a tool that cannot be used. */
export function listed(raw: unknown, warn: (text: string) => void): Listed | undefined {
  const name = isRecord(raw) ? raw['name'] : undefined;
  if (!isRecord(raw) || typeof name !== 'string' || name === '') {
    warn('one of its tools has no name and is left out');
    return undefined;
  }
  if (JSON.stringify(raw).length > MAX_TOOL_BYTES) {
    warn(`its tool "${name}" is left out: its description is longer than ${MAX_TOOL_BYTES} bytes`);
    return undefined;
  }
  const { description, inputSchema: said } = raw;
  const isObject = isRecord(said) && (said['type'] === 'object' || said['type'] === undefined);
  if (!isObject) warn(`its tool "${name}" does not declare its arguments: all are sent`);
  const inputSchema = isObject ? said : ANY_OBJECT;
  const words =
    typeof description === 'string' && description.trim() !== '' ? description : 'No description.';
  return {
    name,
    description: truncateMiddle(words, MAX_DESCRIPTION, ` ${CLIPPED} `),
    schema: withoutReferences(inputSchema),
    inputSchema,
    annotations: annotationsOf(raw),
    raw,
  };
}

const ANY_OBJECT: Json = { type: 'object', properties: {} };

/** The defaults of MCP (2025-06-18). */
function annotationsOf({ annotations, title: named }: Json): ToolAnnotations {
  const said = isRecord(annotations) ? annotations : {};
  const flag = (name: string, otherwise: boolean) =>
    typeof said[name] === 'boolean' ? (said[name] as boolean) : otherwise;
  const title = said['title'] ?? named;
  return {
    ...defined({ title: typeof title === 'string' ? title : undefined }),
    readOnlyHint: flag('readOnlyHint', false),
    destructiveHint: flag('destructiveHint', true),
    idempotentHint: flag('idempotentHint', false),
    openWorldHint: flag('openWorldHint', true),
  };
}

/** The limit for resolved references; a schema that refers to itself repeatedly would grow exponentially. */
const MAX_NODES = 5_000;

/** Replaces local references by their targets, and circular and external ones by a schema that accepts any value. */
function withoutReferences(schema: Json): Json {
  let nodes = 0;
  const resolve = (value: unknown, open: readonly string[]): unknown => {
    nodes += 1;
    if (nodes > MAX_NODES) return {};
    if (Array.isArray(value)) return value.map((each) => resolve(each, open));
    if (!isRecord(value)) return value;
    const { $ref: ref, ...rest } = value;
    if (typeof ref === 'string') {
      const meant = open.includes(ref) ? undefined : target(schema, ref);
      const beside = resolve(rest, open) as Json;
      return isRecord(meant)
        ? { ...(resolve(meant, [...open, ref]) as Json), ...beside }
        : { ...circle(ref), ...beside };
    }
    const entries = Object.entries(value).filter(([key]) => key !== '$defs' && key !== 'definitions');
    return Object.fromEntries(
      entries.map(([key, each]) => [
        key,
        key === 'properties' ? properties(each, open) : resolve(each, open),
      ]),
    );
  };
  /** Names of properties are not keywords; and not every provider supports the schemas `true` and `false`. */
  const properties = (value: unknown, open: readonly string[]): Json =>
    Object.fromEntries(
      Object.entries(isRecord(value) ? value : {}).map(([name, each]) => [
        name,
        each === true ? {} : each === false ? { not: {} } : resolve(each, open),
      ]),
    );
  const { properties: own, ...rest } = schema;
  return { ...(resolve(rest, []) as Json), type: 'object', properties: properties(own, []) };
}

function circle(ref: string): Json {
  return { type: 'object', description: `As in ${ref}.` };
}

function target(schema: Json, ref: string): unknown {
  if (!ref.startsWith('#')) return undefined;
  // Not decodeURIComponent, which throws for a percent sign that is not part of an escape.
  const path = decoded(ref.slice(1)).split('/').slice(1);
  let found: unknown = schema;
  for (const step of path) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    found =
      typeof found === 'object' && found !== null && Object.hasOwn(found, key)
        ? (found as Json)[key]
        : undefined;
  }
  return found;
}

/**
 * Events as text: one compact JSON object each, keys in the order of `kinds.ts`, `kind` last, nulls left out.
 *
 * Reading is tolerant. An event is kept as it was read, keys and kinds that we do not know included, and is written back
 * so; only what the reference itself would change is changed: keys of older versions are dropped, null fields are
 * dropped, and defaults that are missing are added.
 */

import { isRecord } from '../value/is-record.ts';
import { ownValue } from '../value/own-value.ts';
import type { AnyEventKind } from './event-kind.ts';
import { deepFreeze } from './freeze.ts';
import { type Event, isBuiltInKind, kindOf } from './kinds.ts';

/** Text that is not an event. `message` says what is wrong. */
export class EventFormatError extends Error {
  override readonly name = 'EventFormatError';
}

export interface ParseOptions {
  /** Refuse kinds and keys that we do not know, as the reference does. */
  readonly strict?: boolean;
}

type Json = { [key: string]: unknown };

/** Throws EventFormatError. The event is deeply frozen. */
export function parseEvent(source: string, options: ParseOptions = {}): Event {
  try {
    return readEvent(source, options);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new EventFormatError('it is nested too deep', { cause: error });
  }
}

function readEvent(source: string, options: ParseOptions): Event {
  const json = parseObject(source);
  if (typeof json['kind'] !== 'string') throw new EventFormatError('it has no "kind"');
  const kind = kindOf(json['kind']);
  if (kind === undefined) {
    if (options.strict) throw new EventFormatError(`"${json['kind']}" is not a kind of event`);
    checkHead(json);
    return deepFreeze(json) as Event;
  }
  const event = normalize(json, kind, source);
  const checked = kind.schema().safeParse(event);
  if (!checked.success) throw new EventFormatError(issueText(kind.kind, checked.error.issues[0]));
  if (options.strict) checkKeys(event, kind);
  return deepFreeze(event) as Event;
}

/** An event as the one line of JSON that is stored. */
export function serializeEvent(event: Event): string {
  return JSON.stringify(event);
}

function parseObject(source: string): Json {
  if (source === '') throw new EventFormatError('it is empty');
  let json: unknown;
  try {
    json = JSON.parse(source);
  } catch (error) {
    throw new EventFormatError(`it is not JSON: ${(error as Error).message}`, { cause: error });
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new EventFormatError('it is not a JSON object');
  }
  return json as Json;
}

function checkHead(json: Json): void {
  for (const key of ['id', 'timestamp', 'source']) {
    if (typeof json[key] !== 'string') throw new EventFormatError(`"${key}" is missing or is no string`);
  }
}

function issueText(kind: string, issue: { path: PropertyKey[]; message: string } | undefined): string {
  const place = [kind, ...(issue?.path ?? []).map(String)].join('.');
  // In the library's words a field that is missing is a value of the wrong type.
  if (issue?.message.endsWith('received undefined')) return `${place} is missing`;
  return `${place}: ${issue?.message ?? 'it does not have the right shape'}`;
}

function checkKeys(event: Json, { kind, schema }: AnyEventKind): void {
  const known = schema().shape;
  const unknown = Object.keys(event).find((key) => !Object.hasOwn(known, key));
  if (unknown !== undefined) throw new EventFormatError(`${kind} has no "${unknown}"`);
}

const LEGACY_TEXT_KEYS = ['enable_truncation'];
/** What the reference calls an argument `kind` of an MCP tool. */
const ALIASED_KIND = 'mcp_arg_kind';
const LEGACY_MESSAGE_KEYS = [
  'cache_enabled',
  'vision_enabled',
  'function_calling_enabled',
  'force_string_serializer',
  'send_reasoning_content',
];
/** Signs of what needs mending in the text of an event. Most have none; looking through the text is the quickest way to know. */
const SIGNS = [':null', ': null', ...LEGACY_TEXT_KEYS, ALIASED_KIND];
const MESSAGE_SIGNS = [...SIGNS, ...LEGACY_MESSAGE_KEYS];

/** Only events of the reference's kinds are mended: what others hold is theirs. */
function normalize(json: Json, kind: AnyEventKind, source: string): Json {
  const { defaults = {} } = kind;
  const complete = Object.keys(defaults).every((key) => json[key] !== undefined && json[key] !== null);
  const signs = kind.kind === 'MessageEvent' ? MESSAGE_SIGNS : SIGNS;
  const mend = isBuiltInKind(kind.kind) && signs.some((sign) => source.includes(sign));
  if (complete && !mend) return json;
  const mended = mend ? mendFields(json) : json;
  return complete ? mended : withDefaults(mended, kind, defaults);
}

/** Nulls in free data (a state's `value`, a hook's input, what an unknown key holds) mean something and stay. */
function mendFields(json: Json): Json {
  const kept = Object.entries(json).filter(([key, value]) => value !== null || key === 'value');
  return Object.fromEntries(kept.map(([key, value]) => [key, ownValue(MENDERS, key)?.(value) ?? value]));
}

const MENDERS: { readonly [key: string]: (value: unknown) => unknown } = {
  llm_message: (value) => {
    const message = without(value, LEGACY_MESSAGE_KEYS);
    return 'content' in message ? { ...message, content: mendContents(message['content']) } : message;
  },
  thought: mendContents,
  extended_content: mendContents,
  system_prompt: mendContent,
  dynamic_context: mendContent,
  observation: (value) => {
    const observation = without(value, []);
    return 'content' in observation
      ? { ...observation, content: mendContents(observation['content']) }
      : observation;
  },
  action: (value) => {
    const action = without(value, []);
    return isRecord(action['data']) ? { ...action, data: withKind(action['data']) } : action;
  },
  tool_call: (value) => without(value, []),
};

function withKind(data: Json): Json {
  if ('kind' in data) return data;
  return Object.fromEntries(
    Object.entries(data).map(([key, each]) => [key === ALIASED_KIND ? 'kind' : key, each]),
  );
}

function mendContents(value: unknown): unknown {
  return Array.isArray(value) ? value.map(mendContent) : value;
}

function mendContent(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? without(value, LEGACY_TEXT_KEYS) : value;
}

/** A copy without the given keys and without null fields. */
function without(value: unknown, legacy: readonly string[]): Json {
  const entries = Object.entries(value as Json);
  return Object.fromEntries(entries.filter(([key, each]) => each !== null && !legacy.includes(key)));
}

/** Known keys in their order with the missing ones added, then the others, then `kind`. */
function withDefaults(
  json: Json,
  { schema }: AnyEventKind,
  defaults: { readonly [key: string]: unknown },
): Json {
  const { kind, ...rest } = json;
  const ordered = new Map<string, unknown>();
  for (const key of Object.keys(schema().shape)) {
    if (key === 'kind') continue;
    const value = rest[key] ?? structuredClone(defaults[key]);
    if (value !== undefined) ordered.set(key, value);
  }
  for (const [key, value] of Object.entries(rest)) if (!ordered.has(key)) ordered.set(key, value);
  return { ...Object.fromEntries(ordered), kind };
}

/**
 * Events as text: one compact JSON object each, with the keys in the order of their kind's definition, `kind` last, and no nulls.
 *
 * Reading is tolerant. An event is kept exactly as it was read, including unknown keys and kinds, and is written back the same way.
 * Only what the reference itself would change is changed: keys of older versions and null fields are dropped, and missing defaults
 * are added.
 */

import { isRecord } from '../value/is-record.ts';
import { ownValue } from '../value/own-value.ts';
import type { AnyEventKind } from './event-kind.ts';
import { deepFreeze } from './freeze.ts';
import { type Event, isBuiltInKind, kindOf } from './kinds.ts';

/** Thrown for text that is not an event; `message` says what is wrong with it. */
export class EventFormatError extends Error {
  override readonly name = 'EventFormatError';
}

export interface ParseOptions {
  /** Refuses unknown kinds and keys, as the reference does. */
  readonly strict?: boolean;
  /** The text is one that `serializeEvent` made of a checked event: events of built-in kinds are not checked again. */
  readonly isOwn?: boolean;
}

type Json = { [key: string]: unknown };

/** Reads an event, deeply frozen. Throws EventFormatError. */
export function parseEvent(source: string, options: ParseOptions = {}): Event {
  try {
    const event = readEvent(source, options);
    parsed.add(event);
    return event;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new EventFormatError('it is nested too deep', { cause: error });
  }
}

/** Events that `parseEvent` has made: they are legal to write, whatever their kind. */
const parsed = new WeakSet<Event>();

/**
 * Freezes an event deeply, after checking that it can be written: it has a known kind with all its fields and no others. An event that was
 * read is written back as it is, also one of an unknown kind. Throws EventFormatError.
 */
export function checkedEvent(event: Event): Event {
  if (parsed.has(event)) return event;
  const kind = kindOf(event.kind);
  if (kind === undefined) throw new EventFormatError(`"${String(event.kind)}" is not a kind of event`);
  // Compiling a schema takes milliseconds, and most programs append few events of each kind.
  const checked = kind.schema().safeParse(event, { jitless: true });
  if (!checked.success) throw new EventFormatError(issueText(kind.kind, checked.error.issues[0]));
  checkKeys(event as unknown as Json, kind);
  try {
    return deepFreeze(event);
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
  const isChecked = options.isOwn === true && isBuiltInKind(kind.kind);
  const event = normalize(json, kind, isChecked ? '' : source);
  if (!isChecked) checkFields(event, kind);
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

function checkFields(event: Json, kind: AnyEventKind): void {
  const checked = kind.schema().safeParse(event);
  if (!checked.success) throw new EventFormatError(issueText(kind.kind, checked.error.issues[0]));
}

function checkHead(json: Json): void {
  for (const key of ['id', 'timestamp', 'source']) {
    if (typeof json[key] !== 'string') throw new EventFormatError(`"${key}" is missing or is no string`);
  }
}

function issueText(kind: string, issue: { path: PropertyKey[]; message: string } | undefined): string {
  const place = [kind, ...(issue?.path ?? []).map(String)].join('.');
  // zod reports a missing field as a value of the wrong type.
  if (issue?.message.endsWith('received undefined')) return `${place} is missing`;
  return `${place}: ${issue?.message ?? 'it does not have the right shape'}`;
}

function checkKeys(event: Json, { kind, schema }: AnyEventKind): void {
  const known = schema().shape;
  const unknown = Object.keys(event).find((key) => !Object.hasOwn(known, key));
  if (unknown !== undefined) throw new EventFormatError(`${kind} has no "${unknown}"`);
}

const LEGACY_TEXT_KEYS = ['enable_truncation'];
/** The key under which the reference stores an argument named `kind` of an MCP tool. */
const ALIASED_KIND = 'mcp_arg_kind';
const LEGACY_MESSAGE_KEYS = [
  'cache_enabled',
  'vision_enabled',
  'function_calling_enabled',
  'force_string_serializer',
  'send_reasoning_content',
];
/** Substrings of an event's text that mean it needs repair. Most events have none, and searching the text is the fastest way to know. */
const SIGNS = [':null', ': null', ...LEGACY_TEXT_KEYS, ALIASED_KIND];
const MESSAGE_SIGNS = [...SIGNS, ...LEGACY_MESSAGE_KEYS];

/**
 * Adds missing defaults, and repairs events of the reference's kinds; the fields of other kinds are left alone. `source` is the event's text,
 * or empty if it cannot need repair.
 */
function normalize(json: Json, kind: AnyEventKind, source: string): Json {
  const { defaults = {} } = kind;
  const complete = Object.keys(defaults).every((key) => json[key] !== undefined && json[key] !== null);
  const signs = kind.kind === 'MessageEvent' ? MESSAGE_SIGNS : SIGNS;
  const mend = isBuiltInKind(kind.kind) && signs.some((sign) => source.includes(sign));
  if (complete && !mend) return json;
  const mended = mend ? mendFields(json) : json;
  return complete ? mended : withDefaults(mended, kind, defaults);
}

/** Drops null fields. Nulls inside free data (a state's `value`, a hook's input, unknown keys) have a meaning and stay. */
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

/** The known keys in their order with missing defaults added, then the unknown keys, then `kind`. */
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

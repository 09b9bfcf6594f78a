/**
 * Tool calls as text, for models that have no native ones. One call at the most ends a message:
 *
 *     message   = [ content "\n\n" ] call
 *     call      = "<function=" name ">\n" { parameter } "</function>"
 *     parameter = "<parameter=" name ">" value "</parameter>\n"
 *     value     = text without a line break | "\n" text "\n"
 *
 * In content and values, tags of this grammar are written with a backslash after the "<" (one more if there are some already), so that
 * every text can be written and read back. Lists and objects are JSON, everything else is plain text.
 *
 * Reading is more lenient than writing: a call may be cut off (by the stop word), the line break after the name may be missing,
 * `<parameter=a=b</parameter>` is accepted, and tags that some models put around a call are ignored. A `</parameter>` closes a value only
 * if a parameter, the end of the call or the end of the text follows, since values are code.
 */
import { ownValue } from '../../value/own-value.ts';
import type { ToolSchema } from '../llm.ts';

export interface TextCall {
  readonly name: string;
  readonly args: { readonly [name: string]: unknown };
}

/** The stop word: the model stops after the last parameter. */
export const STOP_WORD = '</function';

const TAG = /<(\\*)(\/?(?:function|parameter)[=>])/g;
const ESCAPED_TAG = /<\\(\\*)(\/?(?:function|parameter)[=>])/g;

export function escapeTags(text: string): string {
  return text.replace(TAG, '<\\$1$2');
}

export function unescapeTags(text: string): string {
  return text.replace(ESCAPED_TAG, '<$1$2');
}

export function writeCall({ name, args }: TextCall): string {
  const parameters = Object.entries(args).map(
    ([key, value]) => `<parameter=${key}>${writeValue(value)}</parameter>\n`,
  );
  return `<function=${name}>\n${parameters.join('')}</function>`;
}

function writeValue(value: unknown): string {
  const text = escapeTags(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null'));
  return text.includes('\n') ? `\n${text}\n` : text;
}

const OPENING = /<function=\s*([\w.:-]+)\s*>?[^\S\n]*\n?/;
/** Leftovers of models with their own tags for thinking or calls. */
const DEBRIS_BEFORE = /(?:<\/think>|<tool_call>)\s*(?=<function=)/g;

/** The first call in a text, and the text before it; null if there is none. */
export function readCall(
  text: string,
  schemaOf: (name: string) => ToolSchema | undefined,
): { readonly content: string; readonly call: TextCall } | null {
  const source = text.replace(DEBRIS_BEFORE, '');
  const opening = OPENING.exec(source);
  if (opening === null) return null;
  const [tag, name = ''] = opening;
  const before = source.slice(0, opening.index);
  const written = readParameters(source.slice(opening.index + tag.length));
  const properties = (schemaOf(name)?.parameters['properties'] ?? {}) as { [key: string]: PropertySchema };
  const args = [...written].map(([key, value]) => [key, typed(value, ownValue(properties, key))]);
  return { content: unescapeTags(withoutSeparator(before)), call: { name, args: Object.fromEntries(args) } };
}

/** Whether something in a text looks like an attempt at a call. */
export function looksLikeCall(text: string): boolean {
  return /<\/?(function|parameter)\b|<tool_call>|<invoke\b/.test(text);
}

function withoutSeparator(before: string): string {
  return before.endsWith('\n\n') ? before.slice(0, -2) : before.endsWith('\n') ? before.slice(0, -1) : before;
}

const PARAMETER = /^\s*<parameter=\s*([^>=\s<]+)\s*([>=])/;
const VALUE_END = /<\/parameter>(?=\s*(?:<parameter=|<\/function|<\/tool_call>|$))/;

function readParameters(body: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  let rest = body;
  for (;;) {
    const start = PARAMETER.exec(rest);
    if (start === null) return values;
    const [tag, key = ''] = start;
    rest = rest.slice(tag.length);
    const end = VALUE_END.exec(rest) ?? /<\/function/.exec(rest);
    const raw = end === null ? rest : rest.slice(0, end.index);
    values.set(key, unescapeTags(lines(raw)));
    if (end === null || !end[0].startsWith('</parameter')) return values;
    rest = rest.slice(end.index + end[0].length);
  }
}

/** Removes only the line breaks that belong to the form; all others are part of the value. */
function lines(raw: string): string {
  return raw.length >= 2 && raw.startsWith('\n') && raw.endsWith('\n') ? raw.slice(1, -1) : raw;
}

interface PropertySchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
}

/** The value as the schema's type if it can be parsed as such; otherwise as written, for validation to report. */
function typed(value: string, schema: PropertySchema | undefined): unknown {
  const types = schema?.type === undefined ? [] : [schema.type].flat();
  if (types.includes('string') || types.length === 0) return value;
  const word = value.trim();
  for (const type of types) {
    const read = READERS[type]?.(word);
    if (read !== undefined) return read;
  }
  return value;
}

const READERS: { readonly [type: string]: (word: string) => unknown } = {
  // Digits that a number cannot represent stay text.
  integer: (word) =>
    /^[+-]?\d+$/.test(word) && Number.isSafeInteger(Number(word)) ? Number(word) : undefined,
  number: (word) => (word !== '' && Number.isFinite(Number(word)) ? Number(word) : undefined),
  boolean: (word) => (/^true$/i.test(word) ? true : /^false$/i.test(word) ? false : undefined),
  array: (word) => parsed(word, Array.isArray),
  object: (word) =>
    parsed(word, (value) => typeof value === 'object' && value !== null && !Array.isArray(value)),
  null: (word) => (word === 'null' ? null : undefined),
};

function parsed(word: string, fits: (value: unknown) => boolean): unknown {
  try {
    const value: unknown = JSON.parse(word);
    return fits(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

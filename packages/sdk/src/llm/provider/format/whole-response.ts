/**
 * Puts a streamed response together as the provider gives it unstreamed, from the JSON of its chunks. A format that is not known here, such as
 * Gemini's, becomes `{chunks: [...]}`. Nothing is repaired: arguments of a call that are not valid JSON stay as they are.
 */
import { isRecord } from '../../../value/is-record.ts';

type Json = { readonly [key: string]: unknown };

/** Undefined if there are no chunks. */
export function wholeResponse(chunks: readonly unknown[]): Json | undefined {
  const parts = chunks.filter(isRecord);
  if (parts.length === 0) return undefined;
  if (parts.some(({ choices }) => Array.isArray(choices))) return wholeChat(parts);
  const last = parts.findLast(({ type, response }) => ENDS.has(type) && isRecord(response));
  if (isRecord(last?.['response'])) return last['response'];
  const start = parts.find(({ type }) => type === 'message_start');
  return isRecord(start?.['message']) ? wholeMessage(start['message'], parts) : { chunks: parts };
}

/** The last event of OpenAI's Responses format has the whole response. */
const ENDS: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/** OpenAI's chat format. */
function wholeChat(chunks: readonly Json[]): Json {
  let head: Json = {};
  const choices: Json[] = [];
  for (const { choices: pieces, ...rest } of chunks) {
    head = { ...head, ...known(rest) };
    for (const piece of Array.isArray(pieces) ? pieces.filter(isRecord) : []) {
      const { index, delta, ...more } = piece;
      const at = typeof index === 'number' ? index : 0;
      const { message = {}, ...before } = choices[at] ?? { index: at };
      const merged = merge(message as Json, isRecord(delta) ? delta : {});
      choices[at] = { ...before, ...known(more), message: merged };
    }
  }
  const { usage, ...rest } = head;
  return {
    ...rest,
    object: 'chat.completion',
    choices: choices.filter(isRecord).map(({ message, ...choice }) => ({
      ...choice,
      message: withoutIndices(message as Json),
    })),
    ...(usage === undefined ? {} : { usage }),
  };
}

/** What a delta repeats instead of continuing it. */
const WHOLE: ReadonlySet<string> = new Set(['role', 'id', 'type', 'name', 'index', 'signature', 'format']);

function merge(before: Json, delta: Json): Json {
  const merged: { [key: string]: unknown } = { ...before };
  for (const [key, value] of Object.entries(delta)) merged[key] = mergedValue(key, before[key], value);
  return merged;
}

function mergedValue(key: string, before: unknown, value: unknown): unknown {
  if (value === null || value === undefined) return before ?? null;
  if (WHOLE.has(key)) return before === undefined || before === '' || before === null ? value : before;
  if (typeof before === 'string' && typeof value === 'string') return before + value;
  if (Array.isArray(value)) return mergedList(Array.isArray(before) ? before : [], value);
  return isRecord(before) && isRecord(value) ? merge(before, value) : value;
}

/** Elements with an `index` continue the element with that index; others are added. */
function mergedList(before: readonly unknown[], pieces: readonly unknown[]): readonly unknown[] {
  const merged = [...before];
  for (const piece of pieces) {
    const at = isRecord(piece) && typeof piece['index'] === 'number' ? piece['index'] : undefined;
    const found = merged.findIndex((each) => at !== undefined && isRecord(each) && each['index'] === at);
    if (found === -1) merged.push(piece);
    else merged[found] = merge(merged[found] as Json, piece as Json);
  }
  return merged;
}

function withoutIndices(message: Json): Json {
  const { tool_calls: calls } = message;
  if (!Array.isArray(calls)) return message;
  return { ...message, tool_calls: calls.map(({ index: _, ...call }: Json) => call) };
}

/** Anthropic's format. */
function wholeMessage(start: Json, events: readonly Json[]): Json {
  let message = start;
  const content: Json[] = [];
  const inputs = new Map<number, string>();
  for (const { type, index, content_block: block, delta, usage } of events) {
    const at = Number(index ?? 0);
    if (type === 'content_block_start' && isRecord(block)) content[at] = block;
    if (type === 'content_block_delta' && isRecord(delta)) {
      const { partial_json: json } = delta;
      if (typeof json === 'string') inputs.set(at, (inputs.get(at) ?? '') + json);
      else content[at] = withDelta(content[at] ?? {}, delta);
    }
    if (type === 'message_delta')
      message = {
        ...message,
        ...(isRecord(delta) ? delta : {}),
        usage: { ...(message['usage'] as Json | undefined), ...(usage as Json | undefined) },
      };
  }
  for (const [at, input] of inputs) content[at] = { ...content[at], input: parsed(input) };
  return { ...message, content: content.filter(isRecord) };
}

function withDelta(block: Json, { type: _, ...delta }: Json): Json {
  const { citation, ...pieces } = delta;
  const merged = Object.entries(pieces).map(([key, value]) => [
    key,
    typeof block[key] === 'string' && typeof value === 'string' ? `${block[key]}${value}` : value,
  ]);
  const citations = [...((block['citations'] as unknown[] | null | undefined) ?? []), citation];
  return { ...block, ...Object.fromEntries(merged), ...(citation === undefined ? {} : { citations }) };
}

/** Arguments that are not valid JSON stay text. */
function parsed(input: string): unknown {
  try {
    return input === '' ? {} : JSON.parse(input);
  } catch {
    return input;
  }
}

function known(fields: Json): Json {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

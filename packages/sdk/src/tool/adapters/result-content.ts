/**
 * Converts the result of a foreign tool to content. Each format has its own names for the same few parts; any other value becomes JSON.
 */

import { inspect } from 'node:util';
import { type Content, image, text } from '../../event/content.ts';
import { isRecord } from '../../value/is-record.ts';
import { ownValue } from '../../value/own-value.ts';
import type { ObservationBody } from '../tool.ts';

type Part = { readonly [key: string]: unknown };

const NO_RESULT = '(The tool gave no result.)';

export function resultOf(value: unknown): ObservationBody {
  if (value instanceof Error) return failureOf(value);
  if (isCallToolResult(value)) return { content: mcpContent(value), is_error: value['isError'] === true };
  return { content: contentOf(value), is_error: false };
}

const RESULT_KEYS = ['content', 'isError', 'structuredContent', '_meta'];

/** Other JSON may have `content` too, next to further keys. */
function isCallToolResult(value: unknown): value is Part {
  if (!isRecord(value) || !Array.isArray(value['content'])) return false;
  return (
    Object.keys(value).every((key) => RESULT_KEYS.includes(key)) &&
    value['content'].every((part) => isRecord(part) && typeof part['type'] === 'string')
  );
}

/** The message and stack of whatever was thrown. */
export function failureOf(thrown: unknown): ObservationBody {
  return { content: [text(failureText(thrown))], is_error: true };
}

function failureText(thrown: unknown, told: readonly unknown[] = []): string {
  if (!(thrown instanceof Error)) return typeof thrown === 'string' ? thrown : json(thrown);
  if (told.includes(thrown)) return 'the same';
  const known = [...told, thrown];
  const said = `${thrown.name}: ${thrown.message}`;
  const stack = thrown.stack ?? '';
  const whole = stack.includes(thrown.message) && stack !== '' ? stack : `${said}\n${stack}`.trim();
  const parts = thrown instanceof AggregateError ? thrown.errors : [];
  return [
    whole,
    ...parts.map((part) => `One of them: ${failureText(part, known)}`),
    ...(thrown.cause === undefined ? [] : [`Caused by: ${failureText(thrown.cause, known)}`]),
  ].join('\n');
}

/** `CallToolResult` of MCP: its structured content is used if there is no other content. */
function mcpContent({ content, structuredContent }: Part): readonly Content[] {
  const parts = content as readonly Part[];
  if (parts.length === 0 && structuredContent !== undefined) return contentOf(structuredContent);
  if (parts.length === 0) return [text(NO_RESULT)];
  return parts.map((part) => partOf(part) ?? text(json(part)));
}

export function contentOf(value: unknown): readonly Content[] {
  if (value === undefined || value === '') return [text(NO_RESULT)];
  if (typeof value === 'string') return [text(value)];
  if (Array.isArray(value) && value.length > 0) {
    const parts = value.map((each) => (isRecord(each) ? partOf(each) : undefined));
    if (parts.every((part) => part !== undefined)) return parts;
  }
  return [(isRecord(value) ? partOf(value) : undefined) ?? text(json(value))];
}

function json(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (ArrayBuffer.isView(value)) return `(${value.byteLength} bytes)`;
  try {
    return JSON.stringify(value, plain) ?? String(value);
  } catch {
    return inspect(value); // circular values have no JSON
  }
}

/** Values that JSON would drop silently. */
function plain(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (value instanceof Map || value instanceof Set) return [...value];
  return value;
}

/** Undefined if it is not a content part. */
function partOf(part: Part): Content | undefined {
  const { type } = part;
  return typeof type === 'string' ? ownValue(PARTS, type)?.(part) : undefined;
}

const PARTS: { readonly [type: string]: (part: Part) => Content | undefined } = {
  text: (part) => (typeof part['text'] === 'string' ? text(part['text']) : undefined),
  textBlock: (part) => (typeof part['text'] === 'string' ? text(part['text']) : undefined),
  image: imagePart,
  image_url: ({ image_url: url }) => imageOf(isRecord(url) ? url['url'] : url),
  'image-url': ({ url }) => imageOf(url),
  'image-data': (part) => imageOf(part['data'], part['mediaType']),
  media: filePart,
  file: filePart,
  'file-data': filePart,
  'file-url': (part) => filePart({ ...part, data: { type: 'url', url: part['url'] } }),
  audio: ({ mimeType }) => text(`(audio that cannot be shown here: ${String(mimeType)})`),
  resource: resourcePart,
  resource_link: ({ uri, name }) => text(`${String(name ?? 'resource')}: ${String(uri)}`),
};

/** MCP has `data` and `mimeType`, OpenAI `image`, LangChain `url` or `data`, Anthropic `source`, we `image_urls`. */
function imagePart(part: Part): Content | undefined {
  const { image_urls: ours, image: openAi, source } = part;
  if (Array.isArray(ours)) return image(...ours.map(String));
  if (isRecord(openAi)) return imageOf(openAi['url'] ?? openAi['data'], openAi['mediaType']);
  if (isRecord(source)) return imageOf(source['url'] ?? source['data'], source['media_type']);
  const mime = part['mimeType'] ?? part['mime_type'] ?? part['mediaType'];
  return imageOf(openAi ?? part['data'] ?? part['url'], mime);
}

/** A file of the AI SDK: images are shown, text is read, the rest is named. */
function filePart(part: Part): Content | undefined {
  const { data, mediaType } = part;
  if (typeof mediaType !== 'string') return undefined;
  const tagged = isRecord(data) && !ArrayBuffer.isView(data) ? data : undefined;
  if (tagged?.['type'] === 'text') return text(String(tagged['text']));
  const bytes = tagged === undefined ? data : (tagged['data'] ?? String(tagged['url']));
  return mediaType.startsWith('image')
    ? imageOf(bytes, mediaType)
    : text(`(a file that cannot be shown here: ${mediaType})`);
}

function resourcePart({ resource }: Part): Content | undefined {
  if (!isRecord(resource)) return undefined;
  const { uri, text: words, mimeType } = resource;
  if (typeof words === 'string') return text(words);
  return text(
    `(a resource that cannot be shown here: ${String(uri)}, ${String(mimeType ?? 'unknown type')})`,
  );
}

/** An address, a data URL, base64 or bytes. */
function imageOf(data: unknown, mime: unknown = 'image/png'): Content | undefined {
  const type = typeof mime === 'string' && mime.includes('/') ? mime : 'image/png';
  if (data instanceof URL) return image(data.href);
  if (data instanceof Uint8Array) return image(`data:${type};base64,${Buffer.from(data).toString('base64')}`);
  if (typeof data !== 'string' || data === '') return undefined;
  return image(/^(data:|https?:)/.test(data) ? data : `data:${type};base64,${data}`);
}

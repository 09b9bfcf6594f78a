/** The result of a call as content. Data that a model cannot see is stored in a file, and the result names the file. */
import { type Content, type ConversationFiles, image, text, textOf } from '@longhand/sdk';
import { CLIPPED, truncateMiddle } from '@longhand/sdk/internal';
import { isRecord } from '@longhand/sdk/value';
import { keepFile } from '../kept-file.ts';
import type { Json } from './list-tools.ts';

export interface ResultOptions {
  /** Null if nothing is stored. */
  readonly files: ConversationFiles | null;
  /** Whether the model can see images. */
  readonly vision: boolean;
  /** Masks secrets. */
  readonly mask: (text: string) => string;
}

/** Most characters of all text together. */
const LIMIT = 30_000;
const MAX_IMAGES = 20;
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** The first item names the tool. */
export function resultOf(
  tool: string,
  raw: unknown,
  options: ResultOptions,
): { readonly content: readonly Content[]; readonly is_error: boolean } {
  const result = isRecord(raw) ? raw : { content: [{ type: 'text', text: JSON.stringify(raw) }] };
  const isError = result['isError'] === true;
  const blocks = Array.isArray(result['content']) ? result['content'].filter(isRecord) : [];
  const parts = limitedImages(blocks, options).flatMap((block) => partOf(block, options));
  const { structuredContent } = result;
  if (structuredContent !== undefined && textOf(parts).trim() === '')
    parts.push(text(JSON.stringify(structuredContent)));
  const masked = parts.map((part) => (part.type === 'text' ? text(options.mask(part.text)) : part));
  const head = isError ? `[The MCP tool ${tool} reports an error.]` : `[Result of the MCP tool ${tool}:]`;
  return {
    content: [
      text(head),
      ...(masked.length === 0 ? [text('(The result is empty.)')] : clipped(masked, options)),
    ],
    is_error: isError,
  };
}

function limitedImages(blocks: readonly Json[], options: ResultOptions): Json[] {
  let images = 0;
  return blocks.map((block) => {
    if (block['type'] !== 'image') return block;
    images += 1;
    return images > MAX_IMAGES || !options.vision ? { ...block, type: 'file' } : block;
  });
}

function partOf(block: Json, options: ResultOptions): Content[] {
  const { type, resource } = block;
  switch (type) {
    case 'text':
      return [text(String(block['text'] ?? ''))];
    case 'image':
      return [imageOf(block, options)];
    case 'audio':
    case 'file':
      return [kept(block['data'], block['mimeType'], options)];
    case 'resource':
      return [isRecord(resource) ? resourceOf(resource, options) : text('(A resource without content.)')];
    case 'resource_link':
      return [text([block['name'], block['uri'], block['description']].filter(isWord).join(' - '))];
    default:
      return [text(JSON.stringify(block))];
  }
}

function resourceOf(resource: Json, options: ResultOptions): Content {
  const { uri, text: words, blob, mimeType } = resource;
  if (typeof words === 'string') return text(isWord(uri) ? `${uri}:\n${words}` : words);
  return options.vision && IMAGES.includes(String(mimeType))
    ? imageOf({ data: blob, mimeType }, options)
    : kept(blob, mimeType, options);
}

function imageOf({ data, mimeType }: Json, options: ResultOptions): Content {
  const isShown =
    isWord(data) && data.length <= (MAX_IMAGE_BYTES * 4) / 3 && IMAGES.includes(String(mimeType));
  return isShown ? image(`data:${mimeType};base64,${data}`) : kept(data, mimeType, options);
}

/** Stores base64 data in a file. */
function kept(data: unknown, mimeType: unknown, { files }: ResultOptions): Content {
  const kind = isWord(mimeType) ? mimeType : 'data';
  if (!isWord(data)) return text(`(${kind} without content)`);
  const bytes = Buffer.from(data, 'base64');
  if (files === null) return text(`(${bytes.length} bytes of ${kind}, not stored)`);
  const ending = /^\w+\/(?:x-)?([a-z0-9]{1,8})/i.exec(kind)?.[1] ?? 'bin';
  return text(
    `(${bytes.length} bytes of ${kind}, stored in ${keepFile(files, 'mcp_output', bytes, ending)})`,
  );
}

/** Text that is too long is stored in full in a file, which the notice names. */
function clipped(parts: readonly Content[], { files }: ResultOptions): readonly Content[] {
  const whole = textOf(parts);
  if (whole.length <= LIMIT) return parts;
  const place =
    files === null ? '' : ` The whole result is in ${keepFile(files, 'mcp_output', whole, 'txt')}.`;
  return [
    text(truncateMiddle(whole, LIMIT, `\n${CLIPPED}${place}\n`)),
    ...parts.filter(({ type }) => type === 'image'),
  ];
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

import { type Content, image, text } from '../../event/content.ts';
import { isRecord } from '../../value/is-record.ts';
import { objectIn, words } from '../foreign-values.ts';
import type { Json } from '../json-text.ts';

interface McpResult {
  readonly content: readonly Content[];
  readonly structured: Json | undefined;
  readonly isError: boolean;
}

/** Reads the result of an MCP tool, which V0 stores as JSON text. */
export function mcpResult(source: unknown): McpResult | undefined {
  const json = objectIn(source);
  if (!Array.isArray(json?.['content'])) return undefined;
  const content = json['content'].flatMap((block: unknown): Content[] => {
    if (!isRecord(block)) return [];
    if (block['type'] === 'text') return [text(words(block['text']))];
    if (block['type'] !== 'image') return [];
    const { data, mimeType } = block;
    return [
      image(mimeType === 'text/uri-list' ? words(data) : `data:${words(mimeType)};base64,${words(data)}`),
    ];
  });
  const structured = json['structuredContent'];
  return {
    content,
    structured: isRecord(structured) ? structured : undefined,
    isError: json['isError'] === true,
  };
}

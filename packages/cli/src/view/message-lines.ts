import type { Message } from '@longhand/sdk';
import { sanitize, sanitizeLine } from './sanitize.ts';
import type { Style } from './style.ts';

/** A message as it is sent to the model, complete: role, text, calls. */
export function messageLines(message: Message, style: Style): string[] {
  const of = message.tool_call_id === undefined ? '' : ` (result of ${message.tool_call_id})`;
  return [
    style.bold(sanitizeLine(`[${message.role}]${of}`)),
    ...(message.reasoning_content === undefined
      ? []
      : sanitize(message.reasoning_content).split('\n').map(style.dim)),
    ...message.content.flatMap((block) =>
      block.type === 'text' ? sanitize(block.text).split('\n') : block.image_urls.map(imageLine),
    ),
    ...(message.tool_calls ?? []).map((call) =>
      style.cyan(sanitizeLine(`calls ${call.name} (${call.id}): ${call.arguments}`)),
    ),
    '',
  ];
}

function imageLine(url: string): string {
  return sanitizeLine(`[image ${url.length > 80 ? `${url.slice(0, 80)}... ${url.length} characters` : url}]`);
}

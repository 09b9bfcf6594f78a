import type { Message } from '../event/message.ts';
import type { Prompt, ToolSchema } from './llm.ts';

/** What an image counts for; providers scale them to about this many tokens. */
const IMAGE_BYTES = 6_000;

const sizes = new WeakMap<Message, number>();
const toolSizes = new WeakMap<readonly ToolSchema[], number>();

/** UTF-8 bytes of what the model has to read; each message is measured once. No tokenizer makes more tokens than bytes. */
export function promptBytes({ messages, tools }: Prompt): number {
  let toolBytes = toolSizes.get(tools);
  if (toolBytes === undefined) {
    toolBytes = Buffer.byteLength(JSON.stringify(tools));
    toolSizes.set(tools, toolBytes);
  }
  return messages.reduce((sum, message) => sum + messageBytes(message), toolBytes);
}

export function messageBytes(message: Message): number {
  const known = sizes.get(message);
  if (known !== undefined) return known;
  let bytes = Buffer.byteLength(message.reasoning_content ?? '');
  for (const block of message.content)
    bytes += block.type === 'text' ? Buffer.byteLength(block.text) : block.image_urls.length * IMAGE_BYTES;
  for (const call of message.tool_calls ?? [])
    bytes += Buffer.byteLength(call.name) + Buffer.byteLength(call.arguments);
  sizes.set(message, bytes);
  return bytes;
}

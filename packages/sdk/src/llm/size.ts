import type { Message } from '../event/message.ts';
import type { Prompt, ToolSchema } from './llm.ts';

/** What an image counts for; providers scale them to about this many tokens. */
const IMAGE_BYTES = 6_000;

const sizes = new WeakMap<Message, number>();
const toolSizes = new WeakMap<readonly ToolSchema[], number>();

/** By its first message, how far a conversation was measured; a longer prompt of it goes on from there. */
const measured = new WeakMap<
  Message,
  { readonly length: number; readonly last: Message; readonly bytes: number }
>();

/** UTF-8 bytes of what the model has to read; only what is new is measured. No tokenizer makes more tokens than bytes. */
export function promptBytes({ messages, tools }: Prompt): number {
  let toolBytes = toolSizes.get(tools);
  if (toolBytes === undefined) {
    toolBytes = Buffer.byteLength(JSON.stringify(tools));
    toolSizes.set(tools, toolBytes);
  }
  return toolBytes + bytesOf(messages);
}

function bytesOf(messages: readonly Message[]): number {
  const [first] = messages;
  const last = messages.at(-1);
  if (first === undefined || last === undefined) return 0;
  const before = measured.get(first);
  const goesOn = before !== undefined && messages[before.length - 1] === before.last;
  let bytes = goesOn ? before.bytes : 0;
  for (let i = goesOn ? before.length : 0; i < messages.length; i += 1)
    bytes += messageBytes(messages[i] as Message);
  measured.set(first, { length: messages.length, last, bytes });
  return bytes;
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

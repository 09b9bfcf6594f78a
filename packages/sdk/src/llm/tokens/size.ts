import type { Message } from '../../event/message.ts';
import { remembered } from '../../value/remembered.ts';
import type { Prompt, ToolSchema } from '../llm.ts';

/** The average, for estimates. */
export const BYTES_PER_TOKEN = 4;

/** The size of an image in an estimate; providers scale images to about this many tokens. */
const IMAGE_BYTES = 6_000;

const toolBytes = remembered((tools: readonly ToolSchema[]) => Buffer.byteLength(JSON.stringify(tools)));

/** How far a conversation has been measured, by its first message; a longer prompt continues from there. */
const measured = new WeakMap<
  Message,
  { readonly length: number; readonly last: Message; readonly bytes: number }
>();

/** The UTF-8 bytes of a prompt's text; only what is new is measured. No tokenizer produces more tokens than bytes. */
export function promptBytes({ messages, tools }: Prompt): number {
  return toolBytes(tools) + bytesOf(messages);
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

const messageBytes = remembered((message: Message) => sizeOf(message, Buffer.byteLength, IMAGE_BYTES));

/** The size of a message's text and images, in the units of `sizeOfText` and `imageSize`. */
export function sizeOf(message: Message, sizeOfText: (text: string) => number, imageSize: number): number {
  let size = sizeOfText(message.reasoning_content ?? '');
  for (const block of message.content)
    size += block.type === 'text' ? sizeOfText(block.text) : block.image_urls.length * imageSize;
  for (const call of message.tool_calls ?? []) size += sizeOfText(call.name) + sizeOfText(call.arguments);
  return size;
}

/**
 * Our messages in OpenAI's chat format, as the reference sends them (SDK 1.43, `Message.to_chat_dict`): content as a list
 * or as one text, images, prompt cache marks, tool calls and their results.
 */

import { type Content, textOf } from '../../../event/content.ts';
import type { Message, ThinkingBlock } from '../../../event/message.ts';
import { defined } from '../../../value/defined.ts';
import { remembered } from '../../../value/remembered.ts';
import type { ResolvedModel } from '../../catalogue/model-name.ts';
import { NO_CONTENT } from '../../sendable.ts';
import { bareCallId } from './call-id.ts';

/** What the endpoint accepts; see ModelFeatures. */
export interface ChatStyle {
  readonly nativeTools: boolean;
  readonly vision: boolean;
  readonly cacheMarks: boolean;
  readonly stringContent: boolean;
  readonly replayReasoning: boolean;
  readonly replayThinking: boolean;
  /** Signed thinking in OpenRouter's form, instead of LiteLLM's `thinking_blocks`. */
  readonly reasoningDetails?: boolean;
  /** Tool results may contain images. */
  readonly toolImages: boolean;
}

/** OpenAI itself accepts no images in tool results; other endpoints do. */
export function chatStyle(
  features: Omit<ChatStyle, 'toolImages'>,
  { dialect, quirks = {} }: ResolvedModel,
): ChatStyle {
  return {
    ...features,
    toolImages: dialect === 'compatible',
    reasoningDetails: quirks.reasoningDetails === true,
  };
}

type Json = { [key: string]: unknown };

const CACHE_CONTROL = { type: 'ephemeral' };
/** Replaces an image that the endpoint does not accept. */
export const IMAGE_LEFT_OUT = '[An image was shown here; this endpoint takes none in results.]';

/** A serialiser that caches: each message is serialised once. */
export function chatSerializer(style: ChatStyle): (messages: readonly Message[]) => readonly Buffer[] {
  const serializer = (mark: boolean) =>
    remembered((message: Message) => Buffer.from(JSON.stringify(chatMessage(message, style, mark))));
  const [plain, marked] = [serializer(false), serializer(true)];
  return (messages) => {
    if (!style.cacheMarks) return messages.map(plain);
    const last = lastMarkable(messages);
    return messages.map((message, i) =>
      i === last || (i === 0 && message.role === 'system') ? marked(message) : plain(message),
    );
  };
}

/** The system prompt's first block is marked, and the last block of the last user or tool message. */
function lastMarkable(messages: readonly Message[]): number {
  return messages.findLastIndex(({ role }) => role === 'user' || role === 'tool');
}

export function chatMessage(message: Message, style: ChatStyle, mark = false): Json {
  const { role } = message;
  const asList = !style.stringContent && (style.cacheMarks || style.vision || style.nativeTools);
  const said = asList ? listContent(message, style, mark) : textOf(message.content as Content[]);
  if (role === 'assistant') return assistant(message, said, style, asList);
  // Without vision, nothing is left of a message that has only images.
  const content = said.length > 0 ? said : asList ? [{ type: 'text', text: NO_CONTENT }] : NO_CONTENT;
  if (role === 'tool') {
    return {
      role,
      content,
      ...defined({ cache_control: mark && asList ? CACHE_CONTROL : undefined }),
      tool_call_id: bareCallId(message.tool_call_id ?? ''),
      name: message.name ?? '',
    };
  }
  return { role, content };
}

function listContent({ role, content }: Message, style: ChatStyle, mark: boolean): Json[] {
  const blocks = (content as Content[]).flatMap((block) => blockOf(block, role, style));
  // The system prompt's first block never changes; for a tool result the whole message is marked.
  const at = role === 'system' ? 0 : blocks.length - 1;
  if (mark && role !== 'tool' && blocks[at] !== undefined)
    blocks[at] = { ...blocks[at], cache_control: CACHE_CONTROL };
  return blocks;
}

function blockOf(block: Content, role: Message['role'], style: ChatStyle): Json[] {
  if (block.type === 'text') return [{ type: 'text', text: block.text }];
  if (!style.vision) return [];
  if (role === 'tool' && !style.toolImages) return [{ type: 'text', text: IMAGE_LEFT_OUT }];
  return block.image_urls.map((url) => ({ type: 'image_url', image_url: { url } }));
}

/** With tool calls, blank text is removed, and so is empty content; without, an empty list becomes an empty text. */
function assistant(message: Message, content: string | Json[], style: ChatStyle, asList: boolean): Json {
  const calls = style.nativeTools ? (message.tool_calls ?? []) : [];
  const said =
    typeof content === 'string' ? content : content.filter((block) => `${block['text']}`.trim() !== '');
  const own: Json = { role: 'assistant' };
  if (calls.length === 0) own['content'] = content.length === 0 ? '' : content;
  else if (said.length > 0) own['content'] = said;
  const thoughts = message.thinking_blocks ?? [];
  if (asList && style.replayThinking && thoughts.length > 0) {
    if (style.reasoningDetails === true) own['reasoning_details'] = thoughts.map(reasoningDetail);
    else own['thinking_blocks'] = thoughts;
  }
  if (style.replayReasoning && message.reasoning_content !== undefined)
    own['reasoning_content'] = message.reasoning_content;
  if (calls.length > 0) {
    own['tool_calls'] = calls.map((call) => ({
      id: bareCallId(call.id),
      type: 'function',
      function: { name: call.name, arguments: call.arguments },
    }));
  }
  return own;
}

function reasoningDetail(thought: ThinkingBlock): Json {
  return thought.type === 'thinking'
    ? {
        type: 'reasoning.text',
        text: thought.thinking,
        signature: thought.signature,
        format: 'anthropic-claude-v1',
      }
    : { type: 'reasoning.encrypted', data: thought.data, format: 'anthropic-claude-v1' };
}

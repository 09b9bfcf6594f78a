/**
 * Our messages as the prompt of the provider packages (LanguageModelV4). The conversion of each message is cached, so a step of a long
 * conversation costs as much as that of a short one.
 */

import type { JSONValue, LanguageModelV4Message, SharedV4ProviderOptions } from '@ai-sdk/provider';
import { type Content, textOf } from '../../../event/content.ts';
import type { Message, MessageToolCall } from '../../../event/message.ts';
import { defined } from '../../../value/defined.ts';
import { remembered } from '../../../value/remembered.ts';
import { NO_CONTENT } from '../../sendable.ts';
import { bareCallId, thoughtSignature } from './call-id.ts';
import { IMAGE_LEFT_OUT } from './chat-messages.ts';

type AssistantPart = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'][number];
type UserPart = Extract<LanguageModelV4Message, { role: 'user' }>['content'][number];
type ToolOutput = Extract<
  Extract<LanguageModelV4Message, { role: 'tool' }>['content'][number],
  { type: 'tool-result' }
>['output'];

type OutputPart = Extract<ToolOutput, { type: 'content' }>['value'][number];

/** What a provider accepts, and in which form. */
export interface PromptStyle {
  /** System blocks stay separate, so that each can be marked for the cache; otherwise they are joined. */
  readonly systemBlocks: boolean;
  readonly vision: boolean;
  /** Tool results may contain images. */
  readonly toolImages: boolean;
  /** The provider whose signed reasoning is sent back. */
  readonly reasoning: 'anthropic' | 'bedrock' | 'google' | 'none';
  /** Marks a message for the prompt cache. */
  readonly cacheMark?: SharedV4ProviderOptions | undefined;
}

/** A converter with its own cache. */
export function promptConverter(
  style: PromptStyle,
): (messages: readonly Message[]) => LanguageModelV4Message[] {
  const converted = remembered((message: Message) => convert(message, style));
  return (messages) => {
    const prompt = messages.flatMap(converted);
    return style.cacheMark === undefined ? prompt : marked(prompt, style.cacheMark);
  };
}

function convert(message: Message, style: PromptStyle): LanguageModelV4Message[] {
  switch (message.role) {
    case 'system':
      return style.systemBlocks
        ? message.content.map((block) => ({ role: 'system', content: textOf([block as Content]) }))
        : [{ role: 'system', content: textOf(message.content as Content[]) }];
    case 'user':
      return [{ role: 'user', content: userContent(message.content as Content[], style) }];
    case 'assistant':
      return [{ role: 'assistant', content: assistantParts(message, style) }];
    case 'tool':
      return [
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: bareCallId(message.tool_call_id ?? ''),
              toolName: message.name ?? '',
              output: toolOutput(message.content as Content[], style),
            },
          ],
        },
      ];
  }
}

/** Without vision, nothing is left of a message that has only images. */
function userContent(content: readonly Content[], { vision }: PromptStyle): UserPart[] {
  const parts = content.filter((block) => vision || block.type === 'text').flatMap(userParts);
  return parts.length === 0 ? [{ type: 'text', text: NO_CONTENT }] : parts;
}

function userParts(block: Content): UserPart[] {
  if (block.type === 'text') return [{ type: 'text', text: block.text }];
  return block.image_urls.map((url) => ({ type: 'file', mediaType: mediaTypeOf(url), data: fileData(url) }));
}

function toolOutput(content: readonly Content[], style: PromptStyle): ToolOutput {
  const images = content.some((block) => block.type === 'image');
  if (!images || !style.toolImages || !style.vision) {
    const value = textOf(content);
    return {
      type: 'text',
      value: images && style.vision ? `${value}\n${IMAGE_LEFT_OUT}` : value,
    };
  }
  return {
    type: 'content',
    value: content.flatMap((block): OutputPart[] =>
      block.type === 'text'
        ? [{ type: 'text', text: block.text }]
        : block.image_urls.map((url) => ({ type: 'file', mediaType: mediaTypeOf(url), data: fileData(url) })),
    ),
  };
}

function assistantParts(message: Message, style: PromptStyle): AssistantPart[] {
  const words = textOf(message.content as Content[]);
  return [
    ...reasoningParts(message, style),
    ...(words === '' ? [] : [{ type: 'text' as const, text: words }]),
    ...(message.tool_calls ?? []).map((call): AssistantPart => toolCallPart(call, style)),
  ];
}

function toolCallPart(call: MessageToolCall, style: PromptStyle): AssistantPart {
  const signature = style.reasoning === 'google' ? thoughtSignature(call.id) : undefined;
  return {
    type: 'tool-call',
    toolCallId: bareCallId(call.id),
    toolName: call.name,
    input: parsedArguments(call.arguments),
    ...defined({ providerOptions: signature === undefined ? undefined : ofGoogle(signature) }),
  };
}

function ofGoogle(signature: string): SharedV4ProviderOptions {
  const own = { thoughtSignature: signature };
  return { google: own, googleVertex: own, vertex: own };
}

/** A thinking block without its signature would be rejected. */
function reasoningParts(message: Message, { reasoning: whose }: PromptStyle): AssistantPart[] {
  if (whose !== 'anthropic' && whose !== 'bedrock') return [];
  const key = whose === 'anthropic' ? 'anthropic' : 'amazonBedrock';
  return (message.thinking_blocks ?? []).flatMap((block): AssistantPart[] => {
    if (block.type === 'redacted_thinking') return [reasoning('', { [key]: { redactedData: block.data } })];
    return block.signature === undefined
      ? []
      : [reasoning(block.thinking, { [key]: { signature: block.signature } })];
  });
}

function reasoning(words: string, providerOptions: SharedV4ProviderOptions): AssistantPart {
  return { type: 'reasoning', text: words, providerOptions };
}

function parsedArguments(source: string): JSONValue {
  try {
    return JSON.parse(source) as JSONValue;
  } catch {
    return {}; // our own logs contain no such call, but another writer's may
  }
}

/** Marks the first system block, and the last user or tool message. */
function marked(
  prompt: readonly LanguageModelV4Message[],
  mark: SharedV4ProviderOptions,
): LanguageModelV4Message[] {
  const last = prompt.findLastIndex((message) => message.role === 'user' || message.role === 'tool');
  return prompt.map((message, i) =>
    (i === 0 && message.role === 'system') || i === last ? { ...message, providerOptions: mark } : message,
  );
}

function mediaTypeOf(url: string): string {
  return /^data:([^;,]+)/.exec(url)?.[1] ?? 'image/*';
}

function fileData(url: string): { type: 'url'; url: URL } | { type: 'data'; data: string } {
  const base64 = /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1];
  return base64 === undefined ? { type: 'url', url: new URL(url) } : { type: 'data', data: base64 };
}

import { randomUUID } from 'node:crypto';
import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider';
import { text } from '../../../event/content.ts';
import type { Message, MessageToolCall, ReasoningItem, ThinkingBlock } from '../../../event/message.ts';
import { defined } from '../../../value/defined.ts';
import { LLMError } from '../../errors.ts';
import type { Completion, FinishReason, Usage } from '../../llm.ts';
import { signedCallId } from './call-id.ts';

/** A provider's answer, streamed or not. */
export interface Answer {
  readonly id: string | undefined;
  readonly content: readonly LanguageModelV4Content[];
  readonly finish: LanguageModelV4FinishReason;
  readonly usage: LanguageModelV4Usage;
  readonly headers?: { readonly [name: string]: string | undefined } | undefined;
  /** The provider's metadata of the whole answer. */
  readonly metadata?: SharedV4ProviderMetadata | undefined;
  /** The whole response as the provider gave it. */
  readonly raw?: unknown;
}

export type Origin = MessageToolCall['origin'];

/** Throws LLMError `LLMNoResponseError` if the answer is empty. */
export function completionOf(answer: Answer, origin: Origin, latencyMs: number): Completion {
  const message = messageOf(answer, origin);
  if (isBlank(message) && answer.finish.unified !== 'stop' && answer.finish.unified !== 'length') {
    throw new LLMError('LLMNoResponseError', 'the model returned an empty answer', { retryable: true });
  }
  return {
    id: answer.id === undefined || answer.id === '' ? `response-${randomUUID()}` : answer.id,
    message,
    finish: finishOf(answer.finish),
    usage: usageOf(answer.usage),
    costUsd: statedCost(answer),
    latencyMs,
    ...defined({ raw: answer.raw }),
  };
}

/** A proxy may report the cost of the call. */
function statedCost({ headers, metadata }: Answer): number | null {
  const header = headers?.['x-litellm-response-cost'];
  const stated = header === undefined || header === '' ? metadata?.['compatible']?.['cost'] : Number(header);
  return typeof stated === 'number' && Number.isFinite(stated) && stated >= 0 ? stated : null;
}

function messageOf({ content, metadata }: Answer, origin: Origin): Message {
  const words = content.flatMap((part) => (part.type === 'text' && part.text !== '' ? [part.text] : []));
  const calls = toolCallsOf(content, origin);
  const thoughts = content.flatMap((part) => (part.type === 'reasoning' ? [part] : []));
  const reasoning = thoughts.map((part) => part.text).join('');
  const item = origin === 'responses' ? reasoningItemOf(thoughts) : undefined;
  return {
    role: 'assistant',
    content: words.length === 0 ? [] : [text(words.join(origin === 'responses' ? '\n' : ''))],
    ...defined({
      tool_calls: calls.length === 0 ? undefined : calls,
      reasoning_content: reasoning || undefined,
    }),
    thinking_blocks: [
      ...thoughts.flatMap((part) => thinkingBlockOf(part.text, part.providerMetadata)),
      ...proxiedThoughts(metadata?.['compatible']?.['thinkingBlocks']),
    ],
    ...defined({ responses_reasoning_item: item }),
  };
}

/** Results are matched by id, so each call needs one that is unique in its turn. */
function toolCallsOf(content: readonly LanguageModelV4Content[], origin: Origin): MessageToolCall[] {
  const taken = new Set<string>();
  return content.flatMap((part) => {
    if (part.type !== 'tool-call' || part.providerExecuted === true) return [];
    const own =
      part.toolCallId === '' || taken.has(part.toolCallId) ? `call_${randomUUID()}` : part.toolCallId;
    taken.add(own);
    const signature = metadataValue(part.providerMetadata, GOOGLE, 'thoughtSignature');
    const id = typeof signature === 'string' ? signedCallId(own, signature) : own;
    const itemId = metadataValue(part.providerMetadata, OPENAI, 'itemId');
    return [
      {
        id,
        ...defined({
          responses_item_id: origin === 'responses' && typeof itemId === 'string' ? itemId : undefined,
        }),
        name: part.toolName,
        arguments: part.input,
        origin,
      },
    ];
  });
}

/** Only signed or redacted thinking has to be sent back unchanged. */
function thinkingBlockOf(thinking: string, metadata: SharedV4ProviderMetadata | undefined): ThinkingBlock[] {
  const redactedData = metadataValue(metadata, CLAUDE, 'redactedData');
  const signature = metadataValue(metadata, CLAUDE, 'signature');
  if (typeof redactedData === 'string') return [{ type: 'redacted_thinking', data: redactedData }];
  return typeof signature === 'string' ? [{ type: 'thinking', thinking, signature }] : [];
}

/** Claude's thinking blocks as a proxy passes them on; malformed ones are dropped. */
function proxiedThoughts(blocks: unknown): ThinkingBlock[] {
  if (!Array.isArray(blocks)) return [];
  return blocks.flatMap((block: { readonly [key: string]: unknown }): ThinkingBlock[] => {
    const { type, thinking, signature, data } = block;
    if (type === 'redacted_thinking' && typeof data === 'string') return [{ type, data }];
    if (type !== 'thinking' || typeof thinking !== 'string' || typeof signature !== 'string') return [];
    return [{ type, thinking, signature }];
  });
}

/** The keys under which the packages put provider-specific metadata. */
const OPENAI = ['openai', 'azure'];
const GOOGLE = ['google', 'googleVertex', 'vertex'];
const CLAUDE = ['anthropic', 'amazonBedrock', 'bedrock', 'vertex', 'googleVertex'];

function metadataValue(
  metadata: SharedV4ProviderMetadata | undefined,
  owners: readonly string[],
  key: string,
): unknown {
  for (const owner of owners) {
    const value = metadata?.[owner]?.[key];
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

/** The last one applies. */
function reasoningItemOf(
  thoughts: readonly { readonly text: string; readonly providerMetadata?: SharedV4ProviderMetadata }[],
): ReasoningItem | undefined {
  const last = thoughts.at(-1)?.providerMetadata;
  const id = metadataValue(last, OPENAI, 'itemId');
  if (typeof id !== 'string') return undefined;
  const sealed = metadataValue(last, OPENAI, 'reasoningEncryptedContent');
  return {
    id,
    summary: thoughts
      .filter((part) => metadataValue(part.providerMetadata, OPENAI, 'itemId') === id && part.text !== '')
      .map((part) => part.text),
    ...defined({ encrypted_content: typeof sealed === 'string' ? sealed : undefined }),
  };
}

function isBlank(message: Message): boolean {
  return (
    message.content.length === 0 &&
    message.tool_calls === undefined &&
    message.reasoning_content === undefined
  );
}

const REASONS: ReadonlySet<string> = new Set([
  'stop',
  'length',
  'tool-calls',
  'content-filter',
  'error',
  'other',
]);

function finishOf({ unified, raw }: LanguageModelV4FinishReason): Completion['finish'] {
  const reason = (REASONS.has(unified) ? unified : 'other') as FinishReason;
  return raw === undefined ? { reason } : { reason, raw };
}

function usageOf({ inputTokens, outputTokens, raw }: LanguageModelV4Usage): Usage {
  return {
    promptTokens: count(inputTokens.total),
    completionTokens: count(outputTokens.total),
    cacheReadTokens: count(inputTokens.cacheRead),
    cacheWriteTokens: count(inputTokens.cacheWrite) || cacheCreation(raw),
    reasoningTokens: count(outputTokens.reasoning),
  };
}

/** Tokens written to the cache, as proxies add them to OpenAI's chat format. */
function cacheCreation(raw: LanguageModelV4Usage['raw']): number {
  const details = (raw?.['prompt_tokens_details'] ?? {}) as { readonly [name: string]: unknown };
  return (
    count(details['cache_creation_tokens']) ||
    count(details['cache_write_tokens']) ||
    count(raw?.['cache_creation_input_tokens'])
  );
}

/** Providers omit counts or send values that are not numbers; totals must stay numbers. */
function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

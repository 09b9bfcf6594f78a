import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4, SharedV4ProviderMetadata } from '@ai-sdk/provider';
import { defined } from '../../value/defined.ts';
import { SDK_VERSION } from '../../version.ts';
import type { Session } from '../llm.ts';
import { chatStyle } from './format/chat-messages.ts';
import { commonOptions, type OpenOptions } from './open-provider.ts';
import type { ProviderModel } from './provider-llm.ts';

/** Endpoints with OpenAI's chat format: most providers, proxies and local model servers. */
export function openCompatible(options: OpenOptions): ProviderModel {
  const { resolved, features } = options;
  const extraBody = options.config.endpoint?.extraBody;
  const provider = createOpenAICompatible({
    baseURL: '',
    ...commonOptions(options),
    name: 'compatible',
    includeUsage: true,
    metadataExtractor: {
      extractMetadata: async ({ parsedBody }) => metadataOf(parsedBody, 'message'),
      createStreamExtractor: () => {
        let all: Own = {};
        return {
          processChunk: (chunk) => {
            all = merged(all, ownOf(chunk, 'delta'));
          },
          buildMetadata: () => ({ compatible: all as never }),
        };
      },
    },
  });
  return {
    languageModel: provider.chatModel(resolved.id) as LanguageModelV4,
    messages: { wire: 'chat', style: chatStyle(features, resolved) },
    origin: 'completion',
    providerOptions: ({ session }) => ({
      compatible: { ...metadataFor(options, session), ...extraBody } as never,
    }),
  };
}

/** What a LiteLLM proxy files a call under: V0's members and tags, and the purpose of the call. Other endpoints may refuse the member. */
function metadataFor(
  { resolved, config, env }: OpenOptions,
  session: Session | undefined,
): { readonly metadata?: object } {
  if (resolved.provider !== 'litellm_proxy' && resolved.provider !== 'openhands') return {};
  const tags = {
    model: config.model,
    agent: session?.agent,
    usage: config.usageId ?? 'agent',
    web_host: env['WEB_HOST'] ?? 'unspecified',
    longhand_version: SDK_VERSION,
  };
  return {
    metadata: {
      ...defined({ session_id: session?.id }),
      trace_version: SDK_VERSION,
      tags: Object.entries(defined(tags)).map(([name, value]) => `${name}:${value}`),
    },
  };
}

/** What proxies add to the format: Claude's signed thinking (LiteLLM, OpenRouter), the cost (OpenRouter). */
interface Own {
  readonly thinkingBlocks?: readonly unknown[];
  readonly cost?: number;
}

interface Said {
  readonly thinking_blocks?: readonly unknown[];
  readonly reasoning_details?: readonly Detail[];
}

interface Detail {
  readonly type?: unknown;
  readonly text?: string;
  readonly signature?: string;
  readonly data?: string;
}

/** Converts OpenRouter's form to LiteLLM's. */
function thoughtOf({ type, text, signature, data }: Detail): object[] {
  if (type === 'reasoning.encrypted') return [{ type: 'redacted_thinking', data }];
  return type === 'reasoning.text' ? [{ type: 'thinking', thinking: text ?? '', signature }] : [];
}

function metadataOf(body: unknown, part: 'message' | 'delta'): SharedV4ProviderMetadata {
  return { compatible: ownOf(body, part) as never };
}

function ownOf(body: unknown, part: 'message' | 'delta'): Own {
  const { choices, usage } = (body ?? {}) as {
    choices?: readonly { [part: string]: Said | undefined }[];
    usage?: { cost?: unknown } | null;
  };
  const { thinking_blocks: thoughts, reasoning_details: details } = choices?.[0]?.[part] ?? {};
  const blocks = thoughts ?? details?.flatMap(thoughtOf);
  return defined({
    thinkingBlocks: Array.isArray(blocks) ? blocks : undefined,
    cost: typeof usage?.cost === 'number' ? usage.cost : undefined,
  });
}

function merged(all: Own, more: Own): Own {
  const blocks = (more.thinkingBlocks ?? []).reduce<readonly Thought[]>(
    (before, block) => joined(before, block as Thought),
    (all.thinkingBlocks ?? []) as readonly Thought[],
  );
  return { ...all, ...more, ...defined({ thinkingBlocks: blocks.length === 0 ? undefined : blocks }) };
}

interface Thought {
  readonly type?: unknown;
  readonly thinking?: string;
  readonly signature?: string;
}

/** A thinking block is streamed in pieces; the last one contains its signature. */
function joined(blocks: readonly Thought[], piece: Thought): readonly Thought[] {
  const last = blocks.at(-1);
  if (last?.type !== 'thinking' || piece.type !== 'thinking' || last.signature) return [...blocks, piece];
  const thinking = `${last.thinking ?? ''}${piece.thinking ?? ''}`;
  return [
    ...blocks.slice(0, -1),
    { ...last, thinking, ...defined({ signature: piece.signature || undefined }) },
  ];
}

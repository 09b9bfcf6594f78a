import type { LanguageModelV4, LanguageModelV4CallOptions, SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { Message } from '../../event/message.ts';
import { defined } from '../../value/defined.ts';
import { LONGEST_TIMER_MS } from '../../value/longest-timer.ts';
import { remembered } from '../../value/remembered.ts';
import type { LlmConfig, Sampling } from '../config/llm-config.ts';
import { LLMError } from '../errors.ts';
import type { CompleteOptions, Completion, LLM, ModelInfo, Prompt, ToolSchema } from '../llm.ts';
import { geminiSchema } from './format/accepted-schema.ts';
import { type ChatStyle, chatSerializer } from './format/chat-messages.ts';
import { readStream } from './format/read-stream.ts';
import { responsesSerializer } from './format/responses-input.ts';
import { type Answer, completionOf, type Origin } from './format/to-completion.ts';
import { type PromptStyle, promptConverter } from './format/to-prompt.ts';
import { type Endpoint, mapError } from './map-error.ts';
import { addressAdvice } from './non-answer.ts';
import type { Call, Transport } from './transport.ts';

/** A model of one of the provider packages, and how to call it. */
export interface ProviderModel {
  readonly languageModel: LanguageModelV4;
  readonly origin: Origin;
  /** The provider's own options for a prompt. */
  readonly providerOptions?: (prompt: Prompt) => SharedV4ProviderOptions;
  readonly toolChoice?: 'auto';
  /** How messages are converted for the package; or the wire format that they are inserted in on the way out. */
  readonly messages: PromptStyle | WireFormat;
}

/** One of OpenAI's two formats, whose messages are serialised here. */
export type WireFormat =
  | { readonly wire: 'chat'; readonly style: ChatStyle }
  | { readonly wire: 'responses'; readonly vision: boolean };

export interface ProviderOptions extends ProviderModel {
  readonly info: ModelInfo;
  readonly endpoint: Endpoint;
  readonly config: LlmConfig;
  readonly reasoningEffort: Sampling['reasoningEffort'];
  readonly transport: Transport;
}

/** The innermost layer: one request by a provider package, streamed if deltas are wanted. */
export function providerLlm(options: ProviderOptions): LLM {
  const { languageModel, endpoint, origin, config, transport, messages: format } = options;
  const isWire = 'wire' in format;
  const toWire = isWire ? wireSerializer(format) : undefined;
  const toPrompt = isWire ? () => [] : promptConverter(format);
  // A conversation's tools do not change.
  const toTools = remembered((tools: readonly ToolSchema[]) =>
    functionTools(
      tools,
      /gemini/i.test(config.capabilities?.canonicalName ?? config.model) ? geminiSchema : (schema) => schema,
    ),
  );

  const toolsOf = ({ tools }: Prompt): Pick<LanguageModelV4CallOptions, 'tools' | 'toolChoice'> => {
    if (tools.length === 0) return {};
    const { toolChoice } = options;
    return defined({ tools: toTools(tools), toolChoice: toolChoice && { type: toolChoice } });
  };

  return {
    model: options.info,
    usageId: config.usageId ?? 'agent',
    complete: async (
      prompt,
      { signal, onDelta, onExchange, temperature }: CompleteOptions,
    ): Promise<Completion> => {
      const beganAt = performance.now();
      const limit = timeLimit(signal, config.retry?.timeoutMs ?? DEFAULT_TIMEOUT_MS);
      try {
        signal.throwIfAborted();
        transport.expect(limit.signal, {
          ...toWire?.(prompt.messages),
          observe: onExchange && ((exchange) => onExchange({ ...exchange, prompt })),
        });
        const call: LanguageModelV4CallOptions = {
          prompt: toPrompt(prompt.messages),
          ...toolsOf(prompt),
          ...settings(options),
          ...defined({ stopSequences: prompt.stopSequences && [...prompt.stopSequences], temperature }),
          providerOptions: options.providerOptions?.(prompt) ?? {},
          abortSignal: limit.signal,
        };
        const answer =
          onDelta === undefined
            ? await generate(languageModel, call)
            : await stream(languageModel, call, onDelta, endpoint.address);
        const completion = completionOf(answer, origin, performance.now() - beganAt);
        return config.capabilities?.preserveReasoning === false ? withoutReasoning(completion) : completion;
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw mapError(limit.signal.aborted ? limit.signal.reason : error, endpoint);
      } finally {
        limit.clear();
      }
    },
  };
}

/** What the transport inserts, and where. */
function wireSerializer(
  format: WireFormat,
): (messages: readonly Message[]) => Pick<Call, 'place' | 'messages'> {
  if (format.wire === 'chat') {
    const serialize = chatSerializer(format.style);
    return (messages) => ({ place: 'messages', messages: serialize(messages) });
  }
  const serialize = responsesSerializer(format.vision);
  return (messages) => ({ place: 'input', messages: serialize(messages) });
}

function withoutReasoning(completion: Completion): Completion {
  const { reasoning_content: _, ...message } = completion.message;
  return { ...completion, message };
}

async function stream(
  model: LanguageModelV4,
  call: LanguageModelV4CallOptions,
  onDelta: NonNullable<CompleteOptions['onDelta']>,
  address: string,
): Promise<Answer> {
  const { stream: parts, response } = await model.doStream({ ...call, includeRawChunks: true });
  const headers = response?.headers;
  if (/\bhtml\b/.test(headers?.['content-type'] ?? ''))
    throw new LLMError('LLMNoResponseError', 'the response is a web page, not an event stream', {
      remedy: addressAdvice(address),
    });
  return { ...(await readStream(parts, onDelta)), headers };
}

async function generate(model: LanguageModelV4, call: LanguageModelV4CallOptions): Promise<Answer> {
  const { content, finishReason, usage, response, providerMetadata } = await model.doGenerate(call);
  return {
    id: response?.id,
    content,
    finish: finishReason,
    usage,
    headers: response?.headers,
    metadata: providerMetadata,
    raw: response?.body,
  };
}

function functionTools(
  tools: readonly ToolSchema[],
  accepted: (schema: unknown) => unknown,
): NonNullable<LanguageModelV4CallOptions['tools']> {
  return tools.map((tool) => ({
    type: 'function',
    name: tool.name,
    description: tool.description,
    inputSchema: accepted(tool.parameters) as typeof tool.parameters,
  }));
}

function settings({ config, reasoningEffort }: ProviderOptions): Partial<LanguageModelV4CallOptions> {
  return defined({
    temperature: config.sampling?.temperature,
    topP: config.sampling?.topP,
    maxOutputTokens: config.limits?.maxOutputTokens,
    topK: config.sampling?.topK,
    seed: config.sampling?.seed,
    reasoning: reasoningEffort,
  });
}

const DEFAULT_TIMEOUT_MS = 300_000;

/**
 * A signal that aborts with `outer`, or after `ms` (0: never). Clear it when the call has ended: a running timer keeps the whole request
 * in memory.
 */
function timeLimit(outer: AbortSignal, ms: number): { readonly signal: AbortSignal; clear(): void } {
  const controller = new AbortController();
  const onAbort = () => controller.abort(outer.reason);
  if (outer.aborted) onAbort();
  outer.addEventListener('abort', onAbort, { once: true });
  const timer =
    ms === 0
      ? undefined
      : setTimeout(
          () => controller.abort(new DOMException(`no answer within ${ms / 1_000} s`, 'TimeoutError')),
          Math.min(ms, LONGEST_TIMER_MS),
        );
  return {
    signal: controller.signal,
    clear: () => {
      clearTimeout(timer);
      outer.removeEventListener('abort', onAbort);
    },
  };
}

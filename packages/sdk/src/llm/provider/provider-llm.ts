import type { LanguageModelV4, LanguageModelV4CallOptions, SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { Message } from '../../event/message.ts';
import type { LlmConfig } from '../config.ts';
import type { CompleteOptions, Completion, LLM, ModelInfo, Prompt, ToolSchema } from '../llm.ts';
import { type Endpoint, mapError } from './map-error.ts';
import { readStream } from './read-stream.ts';
import { type Answer, completionOf, type Origin } from './to-completion.ts';
import { type PromptStyle, promptConverter } from './to-prompt.ts';
import type { Transport } from './transport.ts';

/** How one of the provider packages is spoken to. */
export interface Dialect {
  readonly languageModel: LanguageModelV4;
  readonly origin: Origin;
  /** Options of the provider's own for a prompt. */
  readonly providerOptions?: (prompt: Prompt) => SharedV4ProviderOptions;
  readonly toolChoice?: 'auto';
  /** The messages as the package takes them; or the place that they are put into on the way out. */
  readonly messages: PromptStyle | WireFormat;
}

export interface WireFormat {
  readonly place: 'messages' | 'input';
  readonly serialize: (messages: readonly Message[]) => readonly Buffer[];
}

export interface ProviderOptions extends Dialect {
  readonly info: ModelInfo;
  readonly endpoint: Endpoint;
  readonly config: LlmConfig;
  readonly reasoningEffort: LlmConfig['reasoningEffort'];
  readonly transport: Transport;
}

/** The innermost layer: one request of one of the provider packages, streamed if somebody wants the deltas. */
export function providerLlm(options: ProviderOptions): LLM {
  const { languageModel, endpoint, origin, config, transport, messages: format } = options;
  const wire = 'place' in format ? format : undefined;
  const toPrompt = 'place' in format ? () => [] : promptConverter(format);
  const toTools = remembered(functionTools);

  return {
    model: options.info,
    usageId: config.usageId ?? 'agent',
    complete: async (
      prompt,
      { signal, onDelta, onExchange, temperature }: CompleteOptions,
    ): Promise<Completion> => {
      const beganAt = performance.now();
      const limit = timeLimit(signal, config.timeoutMs ?? DEFAULT_TIMEOUT_MS);
      try {
        signal.throwIfAborted();
        transport.expect(limit.signal, {
          ...(wire === undefined ? {} : { place: wire.place, messages: wire.serialize(prompt.messages) }),
          ...(onExchange === undefined ? {} : { observe: (exchange) => onExchange({ ...exchange, prompt }) }),
        });
        const call: LanguageModelV4CallOptions = {
          prompt: toPrompt(prompt.messages),
          ...(prompt.tools.length === 0 ? {} : { tools: toTools(prompt.tools) }),
          ...(prompt.tools.length > 0 && options.toolChoice !== undefined
            ? { toolChoice: { type: options.toolChoice } }
            : {}),
          ...settings(options),
          ...(prompt.stopSequences === undefined ? {} : { stopSequences: [...prompt.stopSequences] }),
          ...(temperature === undefined ? {} : { temperature }),
          providerOptions: options.providerOptions?.(prompt) ?? {},
          abortSignal: limit.signal,
        };
        const answer =
          onDelta === undefined
            ? await generate(languageModel, call)
            : await stream(languageModel, call, onDelta);
        const completion = completionOf(answer, origin, performance.now() - beganAt);
        return config.preserveReasoning === false ? withoutReasoning(completion) : completion;
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw mapError(limit.signal.aborted ? limit.signal.reason : error, endpoint);
      } finally {
        limit.clear();
      }
    },
  };
}

function withoutReasoning(completion: Completion): Completion {
  const { reasoning_content: _, ...message } = completion.message;
  return { ...completion, message };
}

async function stream(
  model: LanguageModelV4,
  call: LanguageModelV4CallOptions,
  onDelta: NonNullable<CompleteOptions['onDelta']>,
): Promise<Answer> {
  const { stream: parts, response } = await model.doStream(call);
  return { ...(await readStream(parts, onDelta)), headers: response?.headers };
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
  };
}

function functionTools(tools: readonly ToolSchema[]): NonNullable<LanguageModelV4CallOptions['tools']> {
  return tools.map((tool) => ({
    type: 'function',
    name: tool.name,
    description: tool.description,
    inputSchema: tool.parameters,
  }));
}

function settings({ config, reasoningEffort }: ProviderOptions): Partial<LanguageModelV4CallOptions> {
  return {
    ...(config.temperature === undefined ? {} : { temperature: config.temperature }),
    ...(config.topP === undefined ? {} : { topP: config.topP }),
    ...(config.maxOutputTokens === undefined ? {} : { maxOutputTokens: config.maxOutputTokens }),
    ...(config.topK === undefined ? {} : { topK: config.topK }),
    ...(config.seed === undefined ? {} : { seed: config.seed }),
    ...(reasoningEffort === undefined ? {} : { reasoning: reasoningEffort }),
  };
}

const DEFAULT_TIMEOUT_MS = 300_000;

/**
 * Aborts with `outer`, or after so long (0: never). To be cleared when the call has ended: a timer that goes on holds the
 * whole request in memory.
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
          ms,
        );
  return {
    signal: controller.signal,
    clear: () => {
      clearTimeout(timer);
      outer.removeEventListener('abort', onAbort);
    },
  };
}

/** The tools of a conversation do not change: what was made of them is kept. */
function remembered<In extends object, Out>(make: (input: In) => Out): (input: In) => Out {
  const made = new WeakMap<In, Out>();
  return (input) => {
    const known = made.get(input);
    if (known !== undefined) return known;
    const fresh = make(input);
    made.set(input, fresh);
    return fresh;
  };
}

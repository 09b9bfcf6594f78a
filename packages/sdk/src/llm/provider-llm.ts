import type { LanguageModelV4, LanguageModelV4CallOptions, SharedV4ProviderOptions } from '@ai-sdk/provider';
import { LLMError } from './errors.ts';
import type { CompleteOptions, Completion, LLM, LlmConfig, ModelInfo, Prompt, ToolSchema } from './llm.ts';
import { type Endpoint, mapError } from './map-error.ts';
import { readStream } from './read-stream.ts';
import { completionOf, type Origin } from './to-completion.ts';
import { type PromptStyle, promptConverter } from './to-prompt.ts';
import type { WireMessages } from './wire-messages.ts';

export interface ProviderOptions {
  readonly languageModel: LanguageModelV4;
  readonly info: ModelInfo;
  readonly endpoint: Endpoint;
  readonly style: PromptStyle;
  readonly origin: Origin;
  readonly config: LlmConfig;
  /** Sends the messages by itself; see there. */
  readonly wire?: WireMessages;
  /** Options of the provider's own for a prompt. */
  readonly providerOptions: (prompt: Prompt) => SharedV4ProviderOptions;
}

/** The innermost layer: one request of one of the provider packages, streamed if somebody wants the deltas. */
export function providerLlm(options: ProviderOptions): LLM {
  const { languageModel, endpoint, origin, config, wire } = options;
  const toPrompt = promptConverter(options.style);
  const toTools = remembered(functionTools);

  return {
    model: options.info,
    usageId: config.usageId ?? 'agent',
    complete: async (prompt, { signal, onDelta }: CompleteOptions): Promise<Completion> => {
      const beganAt = performance.now();
      const limit = timeLimit(signal, config.timeoutMs ?? DEFAULT_TIMEOUT_MS);
      const call: LanguageModelV4CallOptions = {
        prompt: wire === undefined ? toPrompt(prompt.messages) : [],
        ...(prompt.tools.length === 0 ? {} : { tools: toTools(prompt.tools) }),
        ...settings(config),
        providerOptions: options.providerOptions(prompt),
        abortSignal: limit.signal,
      };
      try {
        signal.throwIfAborted();
        if (wire !== undefined) {
          await wire.provide(
            prompt.messages,
            (message) => toPrompt([message]),
            languageModel as never,
            limit.signal,
          );
        }
        const answer =
          onDelta === undefined
            ? await generate(languageModel, call)
            : await readStream((await languageModel.doStream(call)).stream, onDelta);
        return completionOf(answer, origin, performance.now() - beganAt);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw mapError(limit.signal.aborted ? limit.signal.reason : error, endpoint);
      } finally {
        limit.clear();
      }
    },
  };
}

async function generate(model: LanguageModelV4, call: LanguageModelV4CallOptions) {
  const { content, finishReason, usage, response } = await model.doGenerate(call);
  return { id: response?.id, content, finish: finishReason, usage };
}

function functionTools(tools: readonly ToolSchema[]): NonNullable<LanguageModelV4CallOptions['tools']> {
  return tools.map((tool) => ({
    type: 'function',
    name: tool.name,
    description: tool.description,
    inputSchema: tool.parameters,
  }));
}

function settings(config: LlmConfig): Partial<LanguageModelV4CallOptions> {
  return {
    ...(config.temperature === undefined ? {} : { temperature: config.temperature }),
    ...(config.topP === undefined ? {} : { topP: config.topP }),
    ...(config.maxOutputTokens === undefined ? {} : { maxOutputTokens: config.maxOutputTokens }),
    ...(config.reasoningEffort === undefined ? {} : { reasoning: config.reasoningEffort }),
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

export function missingKey(model: string, keyVariable: string): LLMError {
  return new LLMError('LLMAuthenticationError', `${model} needs a key`, {
    remedy: `Set ${keyVariable} or LLM_API_KEY.`,
  });
}

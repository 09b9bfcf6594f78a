import type { LanguageModelV4 } from '@ai-sdk/provider';
import { defined } from '../value/defined.ts';
import type { LlmConfig } from './config/llm-config.ts';
import { withGuard } from './layer/guard.ts';
import { withRetry } from './layer/retry.ts';
import type { LLM } from './llm.ts';
import { providerLlm } from './provider/provider-llm.ts';
import { Transport } from './provider/transport.ts';

export interface LanguageModelOptions extends Omit<LlmConfig, 'model'> {
  /** Name in the accounts; default: the model's own id. */
  readonly model?: string;
  readonly vision?: boolean;
}

/** Wraps any language model of the AI SDK (specification version 4), with retries. */
export function fromLanguageModel(languageModel: LanguageModelV4, options: LanguageModelOptions = {}): LLM {
  const { vision = true, ...given } = options;
  const config: LlmConfig = { ...given, model: options.model ?? languageModel.modelId };
  const llm = providerLlm({
    languageModel,
    config,
    transport: new Transport(),
    origin: 'completion',
    messages: { systemBlocks: false, vision, toolImages: true, reasoning: 'anthropic' },
    reasoningEffort: config.sampling?.reasoningEffort,
    info: {
      name: config.model,
      vision,
      ...defined({
        contextWindow: config.limits?.maxInputTokens,
        maxOutputTokens: config.limits?.maxOutputTokens,
      }),
    },
    endpoint: {
      model: config.model,
      address: `the provider ${languageModel.provider}`,
      keyVariable: 'the provider',
    },
  });
  return withGuard(withRetry(llm, config));
}

import { createMistral } from '@ai-sdk/mistral';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { commonOptions, type OpenOptions } from './open-provider.ts';
import type { ProviderModel } from './provider-llm.ts';

export function openMistral(options: OpenOptions): ProviderModel {
  const provider = createMistral({ apiKey: 'none', ...commonOptions(options) });
  return {
    languageModel: provider(options.resolved.id) as LanguageModelV4,
    messages: { systemBlocks: false, vision: options.features.vision, toolImages: false, reasoning: 'none' },
    origin: 'completion',
  };
}

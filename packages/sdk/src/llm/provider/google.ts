import { createGoogleGenerativeAI } from '@ai-sdk/google';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ModelFeatures } from '../catalogue/features.ts';
import type { PromptStyle } from './format/to-prompt.ts';
import { commonOptions, type OpenOptions } from './open-provider.ts';
import type { ProviderModel } from './provider-llm.ts';

export function openGoogle(options: OpenOptions): ProviderModel {
  const provider = createGoogleGenerativeAI({ apiKey: 'none', ...commonOptions(options) });
  return {
    languageModel: provider(options.resolved.id) as LanguageModelV4,
    messages: geminiStyle(options.features),
    origin: 'completion',
  };
}

export function geminiStyle({ vision }: ModelFeatures): PromptStyle {
  return { systemBlocks: false, vision, toolImages: true, reasoning: 'google' };
}

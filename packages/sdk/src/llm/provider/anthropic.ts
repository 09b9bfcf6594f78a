import { createAnthropic } from '@ai-sdk/anthropic';
import type { LanguageModelV4, SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { ModelFeatures } from '../catalogue/features.ts';
import type { LlmConfig } from '../config/llm-config.ts';
import type { PromptStyle } from './format/to-prompt.ts';
import { commonOptions, type OpenOptions } from './open-provider.ts';
import type { ProviderModel } from './provider-llm.ts';

export function openAnthropic(options: OpenOptions): ProviderModel {
  const provider = createAnthropic({ apiKey: 'none', ...commonOptions(options) });
  return {
    languageModel: provider(options.resolved.id) as LanguageModelV4,
    messages: claudeStyle(options.features),
    origin: 'completion',
    providerOptions: () => thinkingOptions(options.config),
  };
}

export function claudeStyle({ vision, cacheMarks }: ModelFeatures): PromptStyle {
  return {
    systemBlocks: true,
    vision,
    toolImages: true,
    reasoning: 'anthropic',
    cacheMark: cacheMarks ? { anthropic: { cacheControl: { type: 'ephemeral' } } } : undefined,
  };
}

/** Models that accept a thinking budget in tokens; newer ones refuse it and decide themselves. */
const TAKES_BUDGET = /claude-(sonnet-4-[56]|haiku-4-5)/;
const MOST_OUTPUT_TOKENS = 64_000;

/** The package turns an effort into a mode and a budget for each model; the user's own budget overrides it where it is accepted. */
export function thinkingOptions(config: LlmConfig): SharedV4ProviderOptions {
  const { extendedThinkingBudget: budget = 0, reasoningEffort } = config.sampling ?? {};
  const { maxOutputTokens = MOST_OUTPUT_TOKENS } = config.limits ?? {};
  const name = config.capabilities?.canonicalName ?? config.model;
  if (budget === 0 || reasoningEffort === 'none' || !TAKES_BUDGET.test(name)) return {};
  return {
    anthropic: { thinking: { type: 'enabled', budgetTokens: Math.min(budget, maxOutputTokens - 1) } },
  };
}

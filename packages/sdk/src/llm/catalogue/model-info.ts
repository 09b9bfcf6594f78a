import { defined } from '../../value/defined.ts';
import type { LlmConfig } from '../config/llm-config.ts';
import { LLMError } from '../errors.ts';
import type { ModelInfo } from '../llm.ts';
import { tokenizerOf } from '../tokens/tokenizer.ts';
import { decideFeatures, featuresOf, type ModelFeatures, ruleName } from './features.ts';
import { resolveModel } from './model-name.ts';

export function modelInfo(config: LlmConfig, { vision, briefTools }: ModelFeatures): ModelInfo {
  const tokenizer = tokenizerOf(ruleName(config));
  return {
    name: config.model,
    vision,
    briefTools,
    ...defined({
      tokenizer,
      contextWindow: config.limits?.maxInputTokens,
      maxOutputTokens: config.limits?.maxOutputTokens,
    }),
  };
}

/**
 * The model info that tools and prompts depend on, without opening the model. An unresolvable name belongs to a model of the caller's
 * own or to a script; these are taken to accept images.
 */
export function modelInfoOf(config: LlmConfig): ModelInfo {
  try {
    const resolved = resolveModel(config.model, config.endpoint);
    const info = modelInfo(config, featuresOf(decideFeatures(config, resolved)));
    return resolved.dialect === 'scripted' ? { ...info, vision: true } : info;
  } catch (error) {
    if (error instanceof LLMError) return { name: config.model, vision: true };
    throw error;
  }
}

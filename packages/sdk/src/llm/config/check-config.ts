import { nearest } from '../../value/nearest.ts';
import { type Decisions, featureName } from '../catalogue/features.ts';
import type { ResolvedModel } from '../catalogue/model-name.ts';
import { LLMError } from '../errors.ts';
import type { LlmConfig } from './llm-config.ts';

/** The reference's smallest context window; `ALLOW_SHORT_CONTEXT_WINDOWS` allows smaller ones. */
const LEAST_CONTEXT_TOKENS = 16_384;

/** Rejects settings that contradict each other, before any request. Throws LLMError with what to change. */
export function checkConfig(
  config: LlmConfig,
  resolved: ResolvedModel,
  decisions: Decisions,
  env: { readonly [name: string]: string | undefined },
): void {
  const { maxInputTokens, maxOutputTokens } = config.limits ?? {};
  const { minWaitMs, maxWaitMs } = config.retry ?? {};
  const { extendedThinkingBudget, reasoningEffort } = config.sampling ?? {};
  if (
    config.capabilities?.apiMode === 'responses' &&
    !['openai', 'azure', 'compatible'].includes(resolved.dialect)
  )
    refuse(
      `api_mode = "responses" is for OpenAI's API, which ${config.model} does not use`,
      'Remove api_mode.',
    );
  if (
    maxInputTokens !== undefined &&
    maxInputTokens < LEAST_CONTEXT_TOKENS &&
    !env['ALLOW_SHORT_CONTEXT_WINDOWS']
  )
    refuse(
      `max_input_tokens = ${maxInputTokens} is too small a context window for an agent (at least ${LEAST_CONTEXT_TOKENS})`,
      'Use a model with a larger window, or set ALLOW_SHORT_CONTEXT_WINDOWS=true.',
    );
  if (maxInputTokens !== undefined && maxOutputTokens !== undefined && maxOutputTokens >= maxInputTokens)
    refuse(
      `max_output_tokens = ${maxOutputTokens} leaves nothing of max_input_tokens = ${maxInputTokens}`,
      'Make it smaller.',
    );
  if (minWaitMs !== undefined && maxWaitMs !== undefined && minWaitMs > maxWaitMs)
    refuse('retry_min_wait is longer than retry_max_wait', 'Swap them, or remove one.');
  if (extendedThinkingBudget !== undefined && maxOutputTokens !== undefined && maxOutputTokens <= 1_024)
    refuse('extended_thinking_budget needs max_output_tokens above 1024', 'Make max_output_tokens larger.');
  if (reasoningEffort === 'none' && extendedThinkingBudget !== undefined && extendedThinkingBudget > 0)
    refuse(
      'reasoning_effort = "none" and extended_thinking_budget exclude each other',
      'Remove one of them.',
    );
  checkOverrides(config, decisions);
  for (const rule of config.routing?.rules ?? []) {
    const names = ['primary', ...Object.keys(config.routing?.llms ?? {})];
    if (!names.includes(rule.use))
      refuse(
        `a routing rule uses "${rule.use}", which is not one of its models`,
        `Models: ${names.join(', ')}.`,
      );
  }
}

function checkOverrides({ capabilities }: LlmConfig, decisions: Decisions): void {
  const names = Object.keys(decisions).map(featureName);
  for (const [name, value] of Object.entries(capabilities?.overrides ?? {})) {
    if (!names.includes(name)) {
      const near = nearest(name, names);
      refuse(
        `capability_overrides names "${name}", which is not a feature`,
        `${near === undefined ? '' : `Did you mean ${near}? `}Features: ${names.join(', ')}.`,
      );
    }
    if (typeof value !== 'boolean')
      refuse(`capability_overrides: ${name} must be true or false`, 'Write true or false.');
  }
}

function refuse(message: string, remedy: string): never {
  throw new LLMError('LLMBadRequestError', message, { remedy });
}

import type { LlmConfig } from '@longhand/sdk';

/** The model of the examples: LLM_MODEL, LLM_API_KEY and LLM_BASE_URL. */
export function modelFromEnvironment(env = process.env): LlmConfig {
  const { LLM_MODEL: model, LLM_API_KEY: apiKey, LLM_BASE_URL: baseUrl } = env;
  if (model === undefined) throw new Error('set LLM_MODEL, for example to anthropic/claude-sonnet-4-5');
  return { model, endpoint: { apiKey, baseUrl } };
}

import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { LLM, LlmConfig, ModelInfo } from './llm.ts';
import { type ResolvedModel, resolveModel } from './model-name.ts';
import { withPrices } from './price.ts';
import { missingKey, type ProviderOptions, providerLlm } from './provider-llm.ts';
import { withRetry } from './retry.ts';
import { WireMessages } from './wire-messages.ts';

export { PROVIDERS, type Provider, type ResolvedModel, resolveModel } from './model-name.ts';

export interface CreateLlmOptions {
  /** Where keys are looked for; default: the process's environment. */
  readonly env?: { readonly [name: string]: string | undefined };
}

/**
 * The model that a configuration names, behind its layers: provider, then retry, then prices. Only the package of the
 * provider that is named is loaded. Throws LLMError for a name or a key that is missing.
 */
export async function createLlm(config: LlmConfig, options: CreateLlmOptions = {}): Promise<LLM> {
  const resolved = resolveModel(config.model, { baseUrl: config.baseUrl });
  if (resolved.dialect === 'scripted') {
    const { readScript, scriptedLlm } = await import('./scripted-llm.ts');
    return withRetry(scriptedLlm(await readScript(resolved.id), config), config);
  }
  const apiKey = keyOf(config, resolved, options.env ?? process.env);
  const provider = await providerOptions(config, resolved, apiKey);
  return withPrices(withRetry(providerLlm(provider), config), config, resolved);
}

function keyOf(
  config: LlmConfig,
  resolved: ResolvedModel,
  env: NonNullable<CreateLlmOptions['env']>,
): string | undefined {
  const own = resolved.keyVariable === undefined ? undefined : env[resolved.keyVariable];
  const key = config.apiKey || env['LLM_API_KEY'] || own || undefined;
  // An endpoint of the user's own may need none; the provider's own address does.
  const isNeeded = resolved.keyVariable !== undefined && config.baseUrl === undefined;
  if (key === undefined && isNeeded) throw missingKey(config.model, resolved.keyVariable ?? 'LLM_API_KEY');
  return key;
}

async function providerOptions(
  config: LlmConfig,
  resolved: ResolvedModel,
  apiKey: string | undefined,
): Promise<ProviderOptions> {
  const base = {
    config,
    info: modelInfo(config),
    endpoint: {
      model: config.model,
      address: resolved.baseUrl ?? `the ${resolved.provider} API`,
      keyVariable: config.apiKey === undefined ? (resolved.keyVariable ?? 'LLM_API_KEY') : 'LLM_API_KEY',
      ...(apiKey === undefined ? {} : { apiKey }),
    },
  };
  switch (resolved.dialect) {
    case 'anthropic':
      return { ...base, ...(await anthropic(config, resolved, apiKey)) };
    case 'openai':
      return { ...base, ...(await openai(config, resolved, apiKey)) };
    default:
      return config.apiMode === 'responses'
        ? { ...base, ...(await openai(config, resolved, apiKey)) }
        : { ...base, ...(await compatible(config, resolved, apiKey)) };
  }
}

type Dialect = Pick<ProviderOptions, 'languageModel' | 'style' | 'origin' | 'providerOptions' | 'wire'>;

async function anthropic(
  config: LlmConfig,
  { id, baseUrl }: ResolvedModel,
  apiKey: string | undefined,
): Promise<Dialect> {
  const { createAnthropic } = await import('@ai-sdk/anthropic');
  const provider = createAnthropic({
    apiKey: apiKey ?? 'none',
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    ...headersOf(config),
  });
  return {
    languageModel: provider(id) as LanguageModelV4,
    style: {
      systemBlocks: true,
      toolImages: true,
      rawArguments: false,
      reasoning: 'anthropic',
      cacheMarks: true,
    },
    origin: 'completion',
    providerOptions: () => ({}),
  };
}

/** The Responses API for the models that are made for it; the chat API for the others. */
async function openai(
  config: LlmConfig,
  { id, baseUrl }: ResolvedModel,
  apiKey: string | undefined,
): Promise<Dialect> {
  const { createOpenAI } = await import('@ai-sdk/openai');
  const provider = createOpenAI({
    apiKey: apiKey ?? 'none',
    ...(baseUrl === undefined ? {} : { baseURL: baseUrl }),
    ...headersOf(config),
  });
  const mode = config.apiMode ?? 'auto';
  const responses = mode === 'responses' || (mode === 'auto' && /^(gpt-5|codex-mini|o\d)/.test(id));
  return {
    languageModel: (responses ? provider.responses(id) : provider.chat(id)) as LanguageModelV4,
    style: {
      systemBlocks: false,
      toolImages: responses,
      rawArguments: false,
      reasoning: responses ? 'openai' : 'none',
      cacheMarks: false,
    },
    origin: responses ? 'responses' : 'completion',
    providerOptions: ({ cacheKey }) => ({
      openai: {
        ...(cacheKey === undefined ? {} : { promptCacheKey: cacheKey }),
        // Nothing is kept at the provider; what has to come back comes sealed.
        ...(responses ? { store: false, include: ['reasoning.encrypted_content'] } : {}),
      },
    }),
  };
}

/** Models whose endpoints want their reasoning back. */
const WANTS_REASONING = /kimi-k[23]|minimax-m2|deepseek-reasoner|deepseek-v4/i;

async function compatible(
  config: LlmConfig,
  { id, baseUrl }: ResolvedModel,
  apiKey: string | undefined,
): Promise<Dialect> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const wire = new WireMessages();
  const provider = createOpenAICompatible({
    name: 'compatible',
    fetch: wire.fetch,
    baseURL: baseUrl ?? '',
    includeUsage: true,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...headersOf(config),
  });
  return {
    languageModel: provider.chatModel(id) as LanguageModelV4,
    style: {
      systemBlocks: false,
      toolImages: false,
      rawArguments: true,
      reasoning: WANTS_REASONING.test(id) ? 'text' : 'none',
      cacheMarks: false,
    },
    origin: 'completion',
    wire,
    providerOptions: () => ({}),
  };
}

function headersOf({ extraHeaders }: LlmConfig): { headers?: Record<string, string> } {
  return extraHeaders === undefined ? {} : { headers: { ...extraHeaders } };
}

function modelInfo(config: LlmConfig): ModelInfo {
  const { inputCostPerToken: inputUsd, outputCostPerToken: outputUsd } = config;
  return {
    name: config.model,
    vision: !/deepseek|gpt-3\.5|codestral|qwen.*coder/i.test(config.model),
    ...(config.maxInputTokens === undefined ? {} : { contextWindow: config.maxInputTokens }),
    ...(config.maxOutputTokens === undefined ? {} : { maxOutputTokens: config.maxOutputTokens }),
    ...(inputUsd === undefined || outputUsd === undefined ? {} : { price: { inputUsd, outputUsd } }),
  };
}

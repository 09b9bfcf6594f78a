/** Model names as LiteLLM writes them, `provider/model`, and what they lead to. */

import { defined } from '../../value/defined.ts';
import { nearest } from '../../value/nearest.ts';
import { ownValue } from '../../value/own-value.ts';
import { LLMError } from '../errors.ts';

/** Which of the provider packages speaks the provider's language. */
export type Dialect =
  | 'openai'
  | 'anthropic'
  | 'compatible'
  | 'google'
  | 'vertex'
  | 'azure'
  | 'bedrock'
  | 'mistral'
  | 'scripted';

export interface Provider {
  readonly dialect: Dialect;
  /** Base address when none is given; absent for what has no usual one, or builds its own. */
  readonly baseUrl?: string;
  /** The environment variables of its key, the usual one first; absent where none is needed. */
  readonly keyVariables?: readonly string[];
}

function compatible(baseUrl: string, ...keyVariables: string[]): Provider {
  return { dialect: 'compatible', baseUrl, ...(keyVariables.length === 0 ? {} : { keyVariables }) };
}

/** By the prefix that LiteLLM gives them. */
export const PROVIDERS: { readonly [name: string]: Provider } = {
  openai: { dialect: 'openai', keyVariables: ['OPENAI_API_KEY'] },
  anthropic: { dialect: 'anthropic', keyVariables: ['ANTHROPIC_API_KEY'] },
  gemini: {
    dialect: 'google',
    keyVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  },
  vertex_ai: { dialect: 'vertex' },
  azure: { dialect: 'azure', keyVariables: ['AZURE_API_KEY', 'AZURE_OPENAI_API_KEY'] },
  bedrock: { dialect: 'bedrock' },
  mistral: { dialect: 'mistral', keyVariables: ['MISTRAL_API_KEY'] },
  openrouter: compatible('https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY'),
  groq: compatible('https://api.groq.com/openai/v1', 'GROQ_API_KEY'),
  deepseek: compatible('https://api.deepseek.com/v1', 'DEEPSEEK_API_KEY'),
  xai: compatible('https://api.x.ai/v1', 'XAI_API_KEY'),
  together_ai: compatible('https://api.together.xyz/v1', 'TOGETHER_API_KEY', 'TOGETHERAI_API_KEY'),
  fireworks_ai: compatible(
    'https://api.fireworks.ai/inference/v1',
    'FIREWORKS_API_KEY',
    'FIREWORKS_AI_API_KEY',
  ),
  cerebras: compatible('https://api.cerebras.ai/v1', 'CEREBRAS_API_KEY'),
  moonshot: compatible('https://api.moonshot.ai/v1', 'MOONSHOT_API_KEY'),
  zai: compatible('https://api.z.ai/api/paas/v4', 'ZAI_API_KEY'),
  minimax: compatible('https://api.minimax.io/v1', 'MINIMAX_API_KEY'),
  dashscope: compatible('https://dashscope-intl.aliyuncs.com/compatible-mode/v1', 'DASHSCOPE_API_KEY'),
  deepinfra: compatible('https://api.deepinfra.com/v1/openai', 'DEEPINFRA_API_KEY'),
  sambanova: compatible('https://api.sambanova.ai/v1', 'SAMBANOVA_API_KEY'),
  nvidia_nim: compatible('https://integrate.api.nvidia.com/v1', 'NVIDIA_NIM_API_KEY'),
  huggingface: compatible('https://router.huggingface.co/v1', 'HF_TOKEN', 'HUGGINGFACE_API_KEY'),
  openhands: compatible('https://llm-proxy.app.all-hands.dev/v1', 'LLM_API_KEY'),
  ollama: compatible('http://127.0.0.1:11434/v1'),
  ollama_chat: compatible('http://127.0.0.1:11434/v1'),
  lm_studio: compatible('http://127.0.0.1:1234/v1'),
  llamafile: compatible('http://127.0.0.1:8080/v1'),
  hosted_vllm: compatible('http://127.0.0.1:8000/v1'),
  litellm_proxy: { dialect: 'compatible' },
  scripted: { dialect: 'scripted' },
};

export interface ResolvedModel {
  readonly provider: string;
  readonly dialect: Dialect;
  /** As the endpoint knows it. */
  readonly id: string;
  readonly baseUrl?: string;
  /** The environment variables of its key, the usual one first. */
  readonly keyVariables?: readonly string[];
}

/** Whose model a bare name is. */
const BARE: readonly (readonly [RegExp, string])[] = [
  [/^(gpt-|o[1345](-|$)|chatgpt-|codex-)/, 'openai'],
  [/^claude-/, 'anthropic'],
  [/^gemini-/, 'gemini'],
  [/^(mistral|devstral|codestral|magistral)-/, 'mistral'],
  [/^deepseek-/, 'deepseek'],
  [/^grok-/, 'xai'],
];

/**
 * Says where a model is to be found. With a `baseUrl`, OpenAI's own models and those of nobody known are taken for an
 * OpenAI-compatible endpoint's. Throws LLMError for a provider that is not known, with the nearest names.
 */
export function resolveModel(
  name: string,
  options: { readonly baseUrl?: string | undefined } = {},
): ResolvedModel {
  const [prefix, id] = splitName(name);
  const providerName = prefix ?? BARE.find(([pattern]) => pattern.test(id))?.[1];
  const provider = providerName === undefined ? undefined : ownValue(PROVIDERS, providerName);
  const { baseUrl } = options;
  if (
    baseUrl !== undefined &&
    !isOpenAi(baseUrl) &&
    (provider === undefined || provider.dialect === 'openai' || provider.dialect === 'compatible')
  ) {
    // An unknown prefix is then part of the endpoint's own name for the model, as in `org/model`.
    const known = prefix !== undefined && provider !== undefined;
    return {
      provider: known ? prefix : 'compatible',
      dialect: 'compatible',
      id: known || prefix === undefined ? id : name,
      baseUrl,
      ...(provider?.keyVariables === undefined ? {} : { keyVariables: provider.keyVariables }),
    };
  }
  if (provider === undefined || providerName === undefined) throw unknownModel(name, prefix);
  const address = baseUrl ?? provider.baseUrl;
  if (provider.dialect === 'compatible' && address === undefined) {
    throw new LLMError('LLMBadRequestError', `"${name}" needs the address of its endpoint`, {
      remedy: 'Set LLM_BASE_URL or give --base-url.',
    });
  }
  return {
    provider: providerName,
    dialect: provider.dialect,
    id,
    ...defined({ baseUrl: address, keyVariables: provider.keyVariables }),
  };
}

function splitName(name: string): [prefix: string | undefined, id: string] {
  const slash = name.indexOf('/');
  return slash === -1 ? [undefined, name] : [name.slice(0, slash), name.slice(slash + 1)];
}

function isOpenAi(baseUrl: string): boolean {
  return URL.canParse(baseUrl) && new URL(baseUrl).hostname === 'api.openai.com';
}

function unknownModel(name: string, prefix: string | undefined): LLMError {
  const names = Object.keys(PROVIDERS);
  if (prefix === undefined) {
    return new LLMError('LLMBadRequestError', `the model "${name}" does not say whose it is`, {
      remedy: `Write provider/${name}, with one of ${names.join(', ')}; or give --base-url for an OpenAI-compatible endpoint.`,
    });
  }
  const near = nearest(prefix, names);
  return new LLMError('LLMBadRequestError', `"${prefix}" in "${name}" is not a provider`, {
    remedy: `${near === undefined ? '' : `Did you mean ${near}? `}There are ${names.join(', ')}; or give --base-url.`,
  });
}

/**
 * The providers, by the prefix that LiteLLM gives them. An entry is all that a provider of OpenAI's dialect needs; its key
 * variable and its prefix are also documented in docs/reference/environment.md and docs/models.md.
 */
import type { Endpoint } from '../config/llm-config.ts';

/** Which provider package is used. `compatible`: OpenAI's chat format, wherever it is served. */
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
  /** The base address when none is given; absent for a provider that has none, or whose package knows it. */
  readonly baseUrl?: string | undefined;
  /** The environment variables of its key, the usual one first; absent if none is needed. */
  readonly keyVariables?: readonly string[] | undefined;
  /** Names that are its models even without the prefix. */
  readonly bareNames?: RegExp | undefined;
  /** The model to use when nothing but a key is set; of several providers with a key, the first in the table is used. */
  readonly defaultModel?: string | undefined;
  /** Its name in the price table, if that differs from the prefix. */
  readonly pricedAs?: string | undefined;
  /** The name of a model server that people run on their own machine, at `baseUrl`. */
  readonly localServer?: string | undefined;
  readonly quirks?: Quirks | undefined;
}

/** Where an endpoint departs from OpenAI's chat format. */
export interface Quirks {
  /** Signed reasoning travels as `reasoning_details`. */
  readonly reasoningDetails?: boolean;
  /** Headers of its own; those of the user win. */
  readonly headers?: (endpoint: Endpoint) => { readonly [name: string]: string | undefined };
}

type More = Omit<Provider, 'dialect' | 'baseUrl' | 'keyVariables'>;

/** A provider of OpenAI's dialect. */
function compatible(baseUrl: string, keyVariables: readonly string[], more: More = {}): Provider {
  return { dialect: 'compatible', baseUrl, keyVariables, ...more };
}

/** A model server on this machine. */
function local(port: number, localServer?: string): Provider {
  return { dialect: 'compatible', baseUrl: `http://127.0.0.1:${port}/v1`, localServer };
}

export const PROVIDERS: { readonly [prefix: string]: Provider } = {
  anthropic: {
    dialect: 'anthropic',
    keyVariables: ['ANTHROPIC_API_KEY'],
    bareNames: /^claude-/,
    defaultModel: 'claude-sonnet-5',
  },
  openai: {
    dialect: 'openai',
    keyVariables: ['OPENAI_API_KEY'],
    bareNames: /^(gpt-|o[1345](-|$)|chatgpt-|codex-)/,
    defaultModel: 'gpt-5.5',
  },
  openrouter: compatible('https://openrouter.ai/api/v1', ['OPENROUTER_API_KEY'], {
    defaultModel: 'anthropic/claude-sonnet-5',
    quirks: {
      reasoningDetails: true,
      // Shown to the owner of the key.
      headers: ({ openrouterSiteUrl, openrouterAppName }) => ({
        'HTTP-Referer': openrouterSiteUrl,
        'X-Title': openrouterAppName,
      }),
    },
  }),
  deepseek: compatible('https://api.deepseek.com/v1', ['DEEPSEEK_API_KEY'], {
    bareNames: /^deepseek-/,
    defaultModel: 'deepseek-v4-pro',
  }),
  xai: compatible('https://api.x.ai/v1', ['XAI_API_KEY'], {
    bareNames: /^grok-/,
    defaultModel: 'grok-4.5',
    pricedAs: 'x-ai',
  }),
  mistral: {
    dialect: 'mistral',
    keyVariables: ['MISTRAL_API_KEY'],
    bareNames: /^(mistral|devstral|codestral|magistral)-/,
    defaultModel: 'mistral-medium-latest',
  },
  groq: compatible('https://api.groq.com/openai/v1', ['GROQ_API_KEY'], {
    defaultModel: 'openai/gpt-oss-120b',
  }),
  cerebras: compatible('https://api.cerebras.ai/v1', ['CEREBRAS_API_KEY'], { defaultModel: 'gpt-oss-120b' }),
  together_ai: compatible('https://api.together.xyz/v1', ['TOGETHER_API_KEY', 'TOGETHERAI_API_KEY'], {
    defaultModel: 'openai/gpt-oss-120b',
    pricedAs: 'together',
  }),
  gemini: {
    dialect: 'google',
    keyVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
    bareNames: /^gemini-/,
    defaultModel: 'gemini-3.8-flash',
    pricedAs: 'google',
  },
  fireworks_ai: compatible(
    'https://api.fireworks.ai/inference/v1',
    ['FIREWORKS_API_KEY', 'FIREWORKS_AI_API_KEY'],
    { defaultModel: 'accounts/fireworks/models/gpt-oss-120b', pricedAs: 'fireworks' },
  ),
  vertex_ai: { dialect: 'vertex', pricedAs: 'google' },
  azure: { dialect: 'azure', keyVariables: ['AZURE_API_KEY', 'AZURE_OPENAI_API_KEY'] },
  bedrock: { dialect: 'bedrock', pricedAs: 'aws' },
  moonshot: compatible('https://api.moonshot.ai/v1', ['MOONSHOT_API_KEY'], { pricedAs: 'moonshotai' }),
  zai: compatible('https://api.z.ai/api/paas/v4', ['ZAI_API_KEY']),
  minimax: compatible('https://api.minimax.io/v1', ['MINIMAX_API_KEY']),
  dashscope: compatible('https://dashscope-intl.aliyuncs.com/compatible-mode/v1', ['DASHSCOPE_API_KEY']),
  deepinfra: compatible('https://api.deepinfra.com/v1/openai', ['DEEPINFRA_API_KEY']),
  sambanova: compatible('https://api.sambanova.ai/v1', ['SAMBANOVA_API_KEY']),
  nvidia_nim: compatible('https://integrate.api.nvidia.com/v1', ['NVIDIA_NIM_API_KEY']),
  huggingface: compatible('https://router.huggingface.co/v1', ['HF_TOKEN', 'HUGGINGFACE_API_KEY']),
  openhands: compatible('https://llm-proxy.app.all-hands.dev/v1', ['LLM_API_KEY']),
  ollama: local(11_434, 'Ollama'),
  ollama_chat: local(11_434),
  lm_studio: local(1_234, 'LM Studio'),
  llamafile: local(8_080, 'llama.cpp'),
  hosted_vllm: local(8_000, 'vLLM'),
  litellm_proxy: { dialect: 'compatible' },
  scripted: { dialect: 'scripted' },
};

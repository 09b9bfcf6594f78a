/** Model names as LiteLLM writes them, `provider/model`, and what they lead to. */
import { nearest } from '../text/nearest.ts';
import { LLMError } from './errors.ts';

/** Which of the provider packages speaks the provider's language. */
export type Dialect = 'openai' | 'anthropic' | 'compatible' | 'scripted';

export interface Provider {
  readonly dialect: Dialect;
  /** Base address when none is given; absent for what has no usual one. */
  readonly baseUrl?: string;
  /** The environment variable of its key; absent where none is needed. */
  readonly keyVariable?: string;
}

export const PROVIDERS: { readonly [name: string]: Provider } = {
  openai: { dialect: 'openai', keyVariable: 'OPENAI_API_KEY' },
  anthropic: { dialect: 'anthropic', keyVariable: 'ANTHROPIC_API_KEY' },
  openrouter: {
    dialect: 'compatible',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyVariable: 'OPENROUTER_API_KEY',
  },
  groq: { dialect: 'compatible', baseUrl: 'https://api.groq.com/openai/v1', keyVariable: 'GROQ_API_KEY' },
  deepseek: {
    dialect: 'compatible',
    baseUrl: 'https://api.deepseek.com/v1',
    keyVariable: 'DEEPSEEK_API_KEY',
  },
  mistral: { dialect: 'compatible', baseUrl: 'https://api.mistral.ai/v1', keyVariable: 'MISTRAL_API_KEY' },
  xai: { dialect: 'compatible', baseUrl: 'https://api.x.ai/v1', keyVariable: 'XAI_API_KEY' },
  together_ai: {
    dialect: 'compatible',
    baseUrl: 'https://api.together.xyz/v1',
    keyVariable: 'TOGETHER_API_KEY',
  },
  fireworks_ai: {
    dialect: 'compatible',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    keyVariable: 'FIREWORKS_API_KEY',
  },
  cerebras: { dialect: 'compatible', baseUrl: 'https://api.cerebras.ai/v1', keyVariable: 'CEREBRAS_API_KEY' },
  ollama: { dialect: 'compatible', baseUrl: 'http://127.0.0.1:11434/v1' },
  ollama_chat: { dialect: 'compatible', baseUrl: 'http://127.0.0.1:11434/v1' },
  lm_studio: { dialect: 'compatible', baseUrl: 'http://127.0.0.1:1234/v1' },
  hosted_vllm: { dialect: 'compatible', baseUrl: 'http://127.0.0.1:8000/v1' },
  litellm_proxy: { dialect: 'compatible' },
  scripted: { dialect: 'scripted' },
};

export interface ResolvedModel {
  readonly provider: string;
  readonly dialect: Dialect;
  /** As the endpoint knows it. */
  readonly id: string;
  readonly baseUrl?: string;
  readonly keyVariable?: string;
}

/** Whose model a bare name is. */
const BARE: readonly (readonly [RegExp, string])[] = [
  [/^(gpt-|o[1345](-|$)|chatgpt-|codex-)/, 'openai'],
  [/^claude-/, 'anthropic'],
];

/**
 * Says where a model is to be found. With a `baseUrl` anything but Anthropic's and a script is taken for
 * OpenAI-compatible. Throws LLMError for a provider that is not known, with the nearest names.
 */
export function resolveModel(
  name: string,
  options: { readonly baseUrl?: string | undefined } = {},
): ResolvedModel {
  const [prefix, id] = splitName(name);
  const providerName = prefix ?? BARE.find(([pattern]) => pattern.test(id))?.[1];
  const provider = providerName === undefined ? undefined : PROVIDERS[providerName];
  const { baseUrl } = options;
  if (
    baseUrl !== undefined &&
    !isOpenAi(baseUrl) &&
    provider?.dialect !== 'anthropic' &&
    provider?.dialect !== 'scripted'
  ) {
    // An unknown prefix is then part of the endpoint's own name for the model, as in `org/model`.
    const known = prefix !== undefined && provider !== undefined;
    return {
      provider: known ? prefix : 'compatible',
      dialect: 'compatible',
      id: known || prefix === undefined ? id : name,
      baseUrl,
      ...(provider?.keyVariable === undefined ? {} : { keyVariable: provider.keyVariable }),
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
    ...(address === undefined ? {} : { baseUrl: address }),
    ...(provider.keyVariable === undefined ? {} : { keyVariable: provider.keyVariable }),
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

/** Opens a model with one of the provider packages; only the named provider's package is loaded. */

import { defined } from '../../value/defined.ts';
import type { ModelFeatures } from '../catalogue/features.ts';
import type { ResolvedModel } from '../catalogue/model-name.ts';
import type { Dialect } from '../catalogue/providers.ts';
import type { LlmConfig } from '../config/llm-config.ts';
import { LLMError } from '../errors.ts';
import type { ProviderModel } from './provider-llm.ts';
import type { Transport } from './transport.ts';

export type Environment = { readonly [name: string]: string | undefined };

/** What a dialect's opener receives. */
export interface OpenOptions {
  readonly config: LlmConfig;
  readonly resolved: ResolvedModel;
  readonly features: ModelFeatures;
  readonly apiKey: string | undefined;
  readonly transport: Transport;
  readonly env: Environment;
}

type Open = (options: OpenOptions) => ProviderModel | Promise<ProviderModel>;

/** Throws LLMError if the provider's package is not installed. */
export async function openProvider(options: OpenOptions): Promise<ProviderModel> {
  const { dialect } = options.resolved;
  if (dialect === 'scripted') throw new TypeError('a script has no provider');
  // Another endpoint's Responses API speaks the same format as OpenAI's.
  const spoken = dialect === 'compatible' && options.features.responsesApi ? 'openai' : dialect;
  try {
    return await (await OPENERS[spoken]())(options);
  } catch (error) {
    throw missingPackage(error, options.config.model) ?? error;
  }
}

/** One opener per dialect; each loads its package. */
const OPENERS: { readonly [D in Exclude<Dialect, 'scripted'>]: () => Promise<Open> } = {
  anthropic: async () => (await import('./anthropic.ts')).openAnthropic,
  azure: async () => (await import('./azure.ts')).openAzure,
  bedrock: async () => (await import('./bedrock.ts')).openBedrock,
  compatible: async () => (await import('./compatible.ts')).openCompatible,
  google: async () => (await import('./google.ts')).openGoogle,
  mistral: async () => (await import('./mistral.ts')).openMistral,
  openai: async () => (await import('./openai.ts')).openOpenAi,
  vertex: async () => (await import('./vertex.ts')).openVertex,
};

function missingPackage(error: unknown, model: string): LLMError | undefined {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (code !== 'ERR_MODULE_NOT_FOUND' || typeof message !== 'string') return undefined;
  const name = /'(@ai-sdk\/[\w-]+)/.exec(message)?.[1];
  if (name === undefined) return undefined;
  return new LLMError('LLMBadRequestError', `${model} needs the package ${name}, which is not installed`, {
    remedy: `Install it beside Longhand: npm install ${name}`,
    cause: error,
  });
}

/** The options that all packages accept. */
export function commonOptions({ config, resolved, apiKey, transport }: OpenOptions) {
  return {
    fetch: transport.fetch,
    headers: headersOf(config, resolved),
    ...defined({ baseURL: resolved.baseUrl, apiKey }),
  };
}

function headersOf({ endpoint = {} }: LlmConfig, { quirks }: ResolvedModel): Record<string, string> {
  const own = Object.entries(quirks?.headers?.(endpoint) ?? {});
  const set = own.filter((header): header is [string, string] => header[1] !== undefined);
  return { ...Object.fromEntries(set), ...endpoint.headers };
}

/** From a configuration to one of the provider packages, of which only the one that is named is loaded. */

import { defined } from '../../value/defined.ts';
import type { ModelFeatures } from '../catalogue/features.ts';
import type { ResolvedModel } from '../catalogue/model-name.ts';
import type { LlmConfig } from '../config/llm-config.ts';
import { LLMError } from '../errors.ts';
import type { Dialect } from './provider-llm.ts';
import type { Transport } from './transport.ts';

export type Environment = { readonly [name: string]: string | undefined };

/** What a dialect is made of. */
export interface OpenOptions {
  readonly config: LlmConfig;
  readonly resolved: ResolvedModel;
  readonly features: ModelFeatures;
  readonly apiKey: string | undefined;
  readonly transport: Transport;
  readonly env: Environment;
}

type Open = (options: OpenOptions) => Dialect | Promise<Dialect>;

/** Throws LLMError if the provider's package is not there. */
export async function openProvider(options: OpenOptions): Promise<Dialect> {
  const { dialect } = options.resolved;
  // A Responses interface that is not OpenAI's own speaks as OpenAI's does.
  const spoken = dialect === 'compatible' && options.features.responsesApi ? 'openai' : dialect;
  try {
    return await (await opener(spoken))(options);
  } catch (error) {
    throw missingPackage(error, options.config.model) ?? error;
  }
}

async function opener(dialect: ResolvedModel['dialect']): Promise<Open> {
  switch (dialect) {
    case 'openai':
      return (await import('./openai.ts')).openOpenAi;
    case 'anthropic':
      return (await import('./anthropic.ts')).openAnthropic;
    case 'google':
      return (await import('./google.ts')).openGoogle;
    case 'vertex':
      return (await import('./vertex.ts')).openVertex;
    case 'azure':
      return (await import('./azure.ts')).openAzure;
    case 'bedrock':
      return (await import('./bedrock.ts')).openBedrock;
    case 'mistral':
      return (await import('./mistral.ts')).openMistral;
    default:
      return (await import('./compatible.ts')).openCompatible;
  }
}

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

/** What all packages take. */
export function commonOptions({ config, resolved, apiKey, transport }: OpenOptions) {
  const headers = headersOf(config, resolved);
  return {
    fetch: transport.fetch,
    ...defined({ baseURL: resolved.baseUrl, apiKey }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
  };
}

/** OpenRouter shows these two to the owner of the key; the user's own headers win. */
function headersOf({ endpoint = {} }: LlmConfig, { provider }: ResolvedModel): Record<string, string> {
  const { openrouterSiteUrl: site, openrouterAppName: app, headers } = endpoint;
  const openrouter = provider === 'openrouter';
  return {
    ...(openrouter && site !== undefined ? { 'HTTP-Referer': site } : {}),
    ...(openrouter && app !== undefined ? { 'X-Title': app } : {}),
    ...headers,
  };
}

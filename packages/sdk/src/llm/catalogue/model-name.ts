/** Model names as LiteLLM writes them, `provider/model`, and where they lead. */
import { nearest } from '../../value/nearest.ts';
import { ownValue } from '../../value/own-value.ts';
import { LLMError } from '../errors.ts';
import { PROVIDERS, type Provider } from './providers.ts';

export interface ResolvedModel extends Pick<Provider, 'dialect' | 'baseUrl' | 'keyVariables' | 'quirks'> {
  /** A name in PROVIDERS, or `compatible` for an endpoint of the user's own. */
  readonly provider: string;
  /** The model's name at the endpoint. */
  readonly id: string;
}

/**
 * Says where a model is to be found. With a `baseUrl`, OpenAI's own models and those of unknown providers are taken for an
 * OpenAI-compatible endpoint's. Throws LLMError for an unknown provider, with the nearest names.
 */
export function resolveModel(
  name: string,
  { baseUrl }: { readonly baseUrl?: string | undefined } = {},
): ResolvedModel {
  const [prefix, id] = splitName(name);
  const providerName = prefix ?? providerOfBareName(id);
  const provider = providerName === undefined ? undefined : ownValue(PROVIDERS, providerName);
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
      keyVariables: provider?.keyVariables,
      quirks: known ? provider.quirks : undefined,
    };
  }
  if (provider === undefined || providerName === undefined) throw unknownModel(name, prefix);
  const { dialect, keyVariables, quirks } = provider;
  const address = baseUrl ?? provider.baseUrl;
  if (dialect === 'compatible' && address === undefined) {
    throw new LLMError('LLMBadRequestError', `"${name}" needs the address of its endpoint`, {
      remedy: 'Set LLM_BASE_URL or give --base-url.',
    });
  }
  return { provider: providerName, dialect, id, baseUrl: address, keyVariables, quirks };
}

function providerOfBareName(name: string): string | undefined {
  return Object.entries(PROVIDERS).find(([, { bareNames }]) => bareNames?.test(name))?.[0];
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
    return new LLMError('LLMBadRequestError', `the provider of the model "${name}" is unknown`, {
      remedy: `Write provider/${name}, where provider is one of ${names.join(', ')}; or give --base-url for an OpenAI-compatible endpoint.`,
    });
  }
  const near = nearest(prefix, names);
  return new LLMError('LLMBadRequestError', `"${prefix}" in "${name}" is not a provider`, {
    remedy: `${near === undefined ? '' : `Did you mean ${near}? `}Providers: ${names.join(', ')}; or give --base-url.`,
  });
}

import { createAzure } from '@ai-sdk/azure';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { defined } from '../../value/defined.ts';
import { LLMError } from '../errors.ts';
import { commonOptions, type OpenOptions } from './open-provider.ts';
import { openAiDialect } from './openai.ts';
import type { ProviderModel } from './provider-llm.ts';

/** The model's name is that of the deployment. Throws LLMError if the resource's address is not configured. */
export function openAzure(options: OpenOptions): ProviderModel {
  const { config, resolved, features, env } = options;
  const baseURL = resolved.baseUrl ?? env['AZURE_API_BASE'];
  const resourceName = env['AZURE_RESOURCE_NAME'];
  const apiVersion = config.endpoint?.apiVersion ?? env['AZURE_API_VERSION'];
  if (baseURL === undefined && resourceName === undefined) {
    throw new LLMError('LLMBadRequestError', `${config.model} needs the address of its Azure resource`, {
      remedy: 'Set LLM_BASE_URL or AZURE_API_BASE, or AZURE_RESOURCE_NAME.',
    });
  }
  const provider = createAzure({
    ...commonOptions(options),
    ...defined(baseURL === undefined ? { resourceName } : { baseURL: openAiPath(baseURL) }),
    // A dated version belongs to the API with one address per deployment.
    ...defined({ apiVersion }),
    useDeploymentBasedUrls: /^\d/.test(apiVersion ?? ''),
  });
  const { id } = resolved;
  const model = features.responsesApi ? provider.responses(id) : provider.chat(id);
  return openAiDialect(model as LanguageModelV4, options, 'azure');
}

/** Azure's portal shows the address of the resource; the API is a path below it. */
function openAiPath(baseUrl: string): string {
  const bare = baseUrl.replace(/\/+$/, '');
  return /\/openai(\/v1)?$/.test(bare) || !/\.azure\.com$/.test(bare) ? bare : `${bare}/openai`;
}

import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { defined } from '../../value/defined.ts';
import { LLMError } from '../errors.ts';
import { commonOptions, type OpenOptions } from './open-provider.ts';
import type { ProviderModel } from './provider-llm.ts';

/** With a bearer token or an account's access keys. Throws LLMError without either. */
export function openBedrock(options: OpenOptions): ProviderModel {
  const { config, resolved, features, env } = options;
  const { endpoint = {} } = config;
  const apiKey = options.apiKey ?? env['AWS_BEARER_TOKEN_BEDROCK'];
  const accessKeyId = endpoint.awsAccessKeyId ?? env['AWS_ACCESS_KEY_ID'];
  const secretAccessKey = endpoint.awsSecretAccessKey ?? env['AWS_SECRET_ACCESS_KEY'];
  const sessionToken = endpoint.awsSessionToken ?? env['AWS_SESSION_TOKEN'];
  const region = endpoint.awsRegionName ?? env['AWS_REGION_NAME'] ?? env['AWS_REGION'] ?? 'us-east-1';
  if (apiKey === undefined && (accessKeyId === undefined || secretAccessKey === undefined)) {
    throw new LLMError('LLMAuthenticationError', `${config.model} needs AWS credentials`, {
      remedy: 'Set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
    });
  }
  const provider = createAmazonBedrock({
    ...commonOptions(options),
    region,
    ...(apiKey === undefined
      ? {
          accessKeyId: accessKeyId as string,
          secretAccessKey: secretAccessKey as string,
          ...defined({ sessionToken }),
        }
      : { apiKey }),
  });
  const cachePoint = { cachePoint: { type: 'default' } };
  return {
    languageModel: provider(resolved.id.replace(/^converse\//, '')) as LanguageModelV4,
    messages: {
      systemBlocks: true,
      vision: features.vision,
      toolImages: true,
      reasoning: features.replayThinking ? 'bedrock' : 'none',
      cacheMark: features.cacheMarks ? { amazonBedrock: cachePoint, bedrock: cachePoint } : undefined,
    },
    origin: 'completion',
  };
}

import { createGoogleVertex } from '@ai-sdk/google-vertex';
import { createGoogleVertexAnthropic } from '@ai-sdk/google-vertex/anthropic';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { defined } from '../../value/defined.ts';
import { LLMError } from '../errors.ts';
import { claudeStyle, thinkingOptions } from './anthropic.ts';
import { geminiStyle } from './google.ts';
import { commonOptions, type OpenOptions } from './open-provider.ts';
import type { ProviderModel } from './provider-llm.ts';

/** Gemini and Claude on Google Cloud, with Google's application credentials. Throws LLMError without a project. */
export function openVertex(options: OpenOptions): ProviderModel {
  const { config, resolved, features, env, apiKey } = options;
  const project = config.endpoint?.vertexProject ?? env['VERTEXAI_PROJECT'] ?? env['GOOGLE_VERTEX_PROJECT'];
  const location =
    config.endpoint?.vertexLocation ?? env['VERTEXAI_LOCATION'] ?? env['GOOGLE_VERTEX_LOCATION'] ?? 'global';
  if (project === undefined && apiKey === undefined) {
    throw new LLMError('LLMBadRequestError', `${config.model} needs a Google Cloud project`, {
      remedy: 'Set VERTEXAI_PROJECT (and VERTEXAI_LOCATION), and log in with Google application credentials.',
    });
  }
  const settings = { ...commonOptions(options), location, ...defined({ project }) };
  if (resolved.id.startsWith('claude')) {
    return {
      languageModel: createGoogleVertexAnthropic(settings)(resolved.id) as LanguageModelV4,
      messages: claudeStyle(features),
      origin: 'completion',
      providerOptions: () => thinkingOptions(config),
    };
  }
  return {
    languageModel: createGoogleVertex(settings)(resolved.id) as LanguageModelV4,
    messages: geminiStyle(features),
    origin: 'completion',
  };
}

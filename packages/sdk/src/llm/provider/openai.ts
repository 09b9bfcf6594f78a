import { createOpenAI } from '@ai-sdk/openai';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Message } from '../../event/message.ts';
import { defined } from '../../value/defined.ts';
import { remembered } from '../../value/remembered.ts';
import type { ModelFeatures } from '../catalogue/features.ts';
import type { LlmConfig } from '../config/llm-config.ts';
import { chatStyle } from './format/chat-messages.ts';
import { instructionsOf } from './format/responses-input.ts';
import { commonOptions, type OpenOptions } from './open-provider.ts';
import type { ProviderModel } from './provider-llm.ts';

export function openOpenAi(options: OpenOptions): ProviderModel {
  const provider = createOpenAI({ apiKey: 'none', ...commonOptions(options) });
  const { id } = options.resolved;
  return openAiDialect(
    (options.features.responsesApi ? provider.responses(id) : provider.chat(id)) as LanguageModelV4,
    options,
    'openai',
  );
}

/** What OpenAI and Azure have in common. `owner` is the key of the package's own options. */
export function openAiDialect(
  languageModel: LanguageModelV4,
  { config, features, resolved }: OpenOptions,
  owner: 'openai' | 'azure',
): ProviderModel {
  const common = { languageModel, origin: features.responsesApi ? 'responses' : 'completion' } as const;
  const shared = (cacheKey: string | undefined) => ({
    ...defined({ promptCacheKey: cacheKey }),
    ...retention(config, features),
  });
  if (!features.responsesApi) {
    return {
      ...common,
      messages: { wire: 'chat', style: chatStyle(features, resolved) },
      // Azure's chat model uses OpenAI's key.
      providerOptions: ({ cacheKey }) => ({ openai: shared(cacheKey) }),
    };
  }
  const instructions = instructionsMaker();
  return {
    ...common,
    toolChoice: 'auto',
    messages: { wire: 'responses', vision: features.vision },
    providerOptions: ({ cacheKey, messages }) => {
      const said = instructions(messages);
      return {
        [owner]: {
          ...shared(cacheKey),
          ...defined({ instructions: said, reasoningSummary: config.sampling?.reasoningSummary }),
          // Nothing is stored at the provider; encrypted reasoning is returned to be sent back.
          store: false,
          include: ['reasoning.encrypted_content'],
        },
      };
    },
  };
}

function retention({ capabilities }: LlmConfig, { cacheRetention }: ModelFeatures): object {
  const { promptCacheRetention: asked = '24h' } = capabilities ?? {};
  return cacheRetention && asked !== 'none' ? { promptCacheRetention: asked } : {};
}

/** The first message is the system prompt and never changes. */
function instructionsMaker(): typeof instructionsOf {
  const ofFirst = remembered((first: Message) => instructionsOf([first]));
  return (messages) => {
    const [first, ...others] = messages;
    return first === undefined || others.some(({ role }) => role === 'system')
      ? instructionsOf(messages)
      : ofFirst(first);
  };
}

/** Chooses the model when the user did not specify all of it, and says why. */
import type { LlmConfig } from '@longhand/sdk';
import {
  type LlmKey,
  type LocalModelServer,
  llmOfSettings,
  llmSetting,
  mergeLlm,
  PROVIDERS,
  withEndpoint,
} from '@longhand/sdk/internal';
import { UsageError } from '../usage-error.ts';
import { COMMAND_LINE, ENVIRONMENT, type Environment, PROFILE_FLAG, type Settings } from './config.ts';
import { LOCAL_FILE, refuseForeignAddress } from './foreign-address.ts';

export interface ModelChoice {
  readonly llm: LlmConfig;
  /** Why this model, if it was not simply configured. */
  readonly reason?: string;
  /** One line for people: another model is configured than the one that is used. */
  readonly notice?: string | undefined;
}

/** The model of a conversation's last run, and how it was called. */
export type StoredModel = LlmConfig;

/**
 * In this order: `--model` or `--profile`, the model of the conversation's last run, the configured model, a provider whose key is set, a server on
 * this machine. Throws UsageError if there is none of them.
 */
export async function chooseModel(
  settings: Settings,
  env: Environment,
  findLocal: () => Promise<LocalModelServer | null>,
  stored?: StoredModel,
): Promise<ModelChoice> {
  const { llm, origin } = settings;
  const isChosenToday = origin.model === COMMAND_LINE || origin.model === PROFILE_FLAG;
  if (stored !== undefined && !isChosenToday) return resumed(settings, stored);
  const { model } = llm;
  if (model !== undefined) {
    refuseForeign(settings);
    return { llm: { ...llm, model } };
  }
  for (const key of ['base_url', 'api_key'] as const) {
    const found = key === 'base_url' ? 'a base URL' : 'a key';
    if (origin[key] !== undefined) {
      throw new UsageError(
        `there is ${found} (from ${origin[key]}), but no model: give --model or set LLM_MODEL`,
      );
    }
  }
  return byKey(llm, env) ?? (await byServer(llm, findLocal));
}

/**
 * Which model to use is a fact of the conversation. Each of its settings comes from flags, then the environment, then what is stored, then
 * config files, except for their base URL, which belongs to the model there.
 */
function resumed({ llm, origin }: Settings, stored: StoredModel): ModelChoice {
  const { baseUrl: _, ...endpoint } = llm.endpoint ?? {};
  const today = settingsFrom([COMMAND_LINE, ENVIRONMENT], { llm, origin });
  const isOther = llm.model !== undefined && llm.model !== stored.model;
  return {
    llm: { ...mergeLlm(today, stored, { ...llm, endpoint }), model: stored.model },
    reason: 'as before',
    notice: isOther
      ? `the conversation continues with ${stored.model}; ${origin.model} names ${llm.model}, which --model ${llm.model} would switch to`
      : undefined,
  };
}

/** The settings that come from one of these layers. */
function settingsFrom(
  layers: readonly string[],
  { llm, origin }: Pick<Settings, 'llm' | 'origin'>,
): Partial<LlmConfig> {
  const own = (Object.entries(origin) as [LlmKey, string][]).filter(([, layer]) => layers.includes(layer));
  return llmOfSettings(own.map(([key]) => [key, llmSetting(llm, key)]));
}

function byKey(llm: Settings['llm'], env: Environment): ModelChoice | null {
  for (const [provider, { defaultModel, keyVariables }] of Object.entries(PROVIDERS)) {
    const variable = keyVariables?.find((name) => env[name]);
    if (defaultModel !== undefined && variable !== undefined)
      return { llm: { ...llm, model: `${provider}/${defaultModel}` }, reason: `${variable} is set` };
  }
  return null;
}

async function byServer(
  llm: Settings['llm'],
  findLocal: () => Promise<LocalModelServer | null>,
): Promise<ModelChoice> {
  const server = await findLocal();
  const id = server?.models.find((name) => !/embed/i.test(name));
  if (server === null || id === undefined) throw new UsageError(NO_MODEL);
  const { name, baseUrl, provider } = server;
  // After the prefix, everything is the server's own name for the model, even with a slash in it.
  const model = `${provider}/${id}`;
  return { llm: withEndpoint({ ...llm, model }, { baseUrl }), reason: `${name} answers at ${baseUrl}` };
}

const NO_MODEL = `no model is set, and no model server answers on this machine
  With a key:      export ANTHROPIC_API_KEY=...   (or OPENAI_API_KEY, OPENROUTER_API_KEY, ...; LLM_MODEL chooses the model)
  With a server:   start Ollama, LM Studio or vLLM, or give --base-url URL --model NAME
  Without either:  longhand demo`;

/** See foreign-address.ts. */
function refuseForeign({ llm, origin }: Settings): void {
  const baseUrl = llm.endpoint?.baseUrl;
  if (baseUrl !== undefined && origin.base_url === LOCAL_FILE && origin.api_key !== LOCAL_FILE)
    refuseForeignAddress(baseUrl);
}

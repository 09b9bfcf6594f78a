/** The keys of models, in settings and in the environment: to be masked everywhere. */

import { PROVIDERS } from '../catalogue/providers.ts';
import { type LlmConfig, llmSetting } from './llm-config.ts';
import { LLM_FIELDS, type LlmKey } from './llm-fields.ts';

const SECRET_KEYS = (Object.keys(LLM_FIELDS) as LlmKey[]).filter((key) => LLM_FIELDS[key].kind === 'secret');

/** The secrets of the model, its fallbacks and the models that it routes to. */
export function secretsOfConfig(config: LlmConfig): string[] {
  const own = SECRET_KEYS.flatMap((key) => (llmSetting(config, key) as string | undefined) ?? []);
  const others = [...(config.fallbacks ?? []), ...Object.values(config.routing?.llms ?? {})];
  return [...own, ...others.flatMap(secretsOfConfig)];
}

const VARIABLES: ReadonlySet<string> = new Set([
  ...Object.values(PROVIDERS).flatMap(({ keyVariables = [] }) => keyVariables),
  'AWS_BEARER_TOKEN_BEDROCK',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
]);

/** Whether a variable contains the key of a model. */
export function isModelKey(name: string): boolean {
  return VARIABLES.has(name) || /_API_KEY$/.test(name);
}

/** The values of the variables that contain keys of models. */
export function modelKeysIn(env: { readonly [name: string]: string | undefined }): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && isModelKey(name) ? [value] : [],
  );
}

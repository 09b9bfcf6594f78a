/** A configuration as it stands in `base_state.json`, profiles and cassettes: the names of LLM_FIELDS, in their order. */

import { type LlmConfig, llmOfSettings, llmSetting } from './llm-config.ts';
import { LLM_FIELDS, type LlmField, type LlmKey } from './llm-fields.ts';
import { readSetting, writeSetting } from './setting.ts';

const FIELDS = Object.entries(LLM_FIELDS) as [LlmKey, LlmField][];

/** Without nulls, fallbacks and routing. Secrets are what `secret` makes of them. */
export function llmToWire(config: LlmConfig, secret: (value: string) => string | undefined): object {
  const wire: { [name: string]: unknown } = {};
  for (const [name, { kind }] of FIELDS) {
    const value = llmSetting(config, name);
    if (value === undefined) continue;
    wire[name] = kind === 'secret' ? secret(value as string) : writeSetting(kind, value);
  }
  return wire;
}

/** What a stored model says: unknown keys, nulls and redacted secrets are skipped. Throws TypeError. */
export function llmFromWire(wire: { readonly [name: string]: unknown }): LlmConfig {
  const settings = FIELDS.flatMap(([name, { kind }]): [LlmKey, unknown][] => {
    const value = wire[name];
    if (value === undefined || value === null || isRedacted(kind, value)) return [];
    try {
      return [[name, readSetting(kind, value)]];
    } catch (error) {
      throw new TypeError(`${name} ${(error as Error).message}`);
    }
  });
  const { model, ...config } = llmOfSettings(settings);
  if (model === undefined) throw new TypeError('model is missing');
  return { model, ...config };
}

function isRedacted(kind: LlmField['kind'], value: unknown): boolean {
  return kind === 'secret' && typeof value === 'string' && /^\*+$/.test(value);
}

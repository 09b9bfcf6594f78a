/** A configuration as it stands in `base_state.json`, profiles and cassettes: the names of LLM_FIELDS, in their order. */

import { ownValue } from '../../value/own-value.ts';
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
  return read(wire, (name, error) => {
    throw new TypeError(`${name} ${error.message}`);
  });
}

/**
 * The same for what other programs and versions have stored. A setting that this version cannot read is skipped, and so is a default of the
 * reference's where a set value would override what is known of the model. Throws TypeError if there is no model.
 */
export function llmFromStored(wire: { readonly [name: string]: unknown }): LlmConfig {
  const isDefault = ([name, value]: [string, unknown]) => ownValue(REFERENCE_DEFAULTS, name) === value;
  return read(Object.fromEntries(Object.entries(wire).filter((entry) => !isDefault(entry))), () => []);
}

/** The reference writes them into every file. */
const REFERENCE_DEFAULTS: { readonly [name: string]: unknown } = {
  native_tool_calling: true,
  caching_prompt: true,
  disable_stop_word: false,
  reasoning_effort: 'high',
  extended_thinking_budget: 200_000,
  max_message_chars: 30_000,
};

function read(
  wire: { readonly [name: string]: unknown },
  onInvalid: (name: string, error: Error) => [],
): LlmConfig {
  const settings = FIELDS.flatMap(([name, { kind }]): [LlmKey, unknown][] => {
    const value = wire[name];
    if (value === undefined || value === null || isRedacted(kind, value)) return [];
    try {
      return [[name, readSetting(kind, value)]];
    } catch (error) {
      return onInvalid(name, error as Error);
    }
  });
  const { model, ...config } = llmOfSettings(settings);
  if (model === undefined) throw new TypeError('model is missing');
  return { model, ...config };
}

function isRedacted(kind: LlmField['kind'], value: unknown): boolean {
  return kind === 'secret' && typeof value === 'string' && /^\*+$/.test(value);
}

/**
 * What a model is and how it is reached, as plain data; and its one reading from text, whatever that stands in:
 * `config.toml`, the environment, a profile, `base_state.json`. Names and defaults are the reference's (SDK 1.43, `LLM`).
 */

export interface LlmConfig {
  /** `provider/model` as LiteLLM writes it, or a bare name with `baseUrl`; `scripted/<file>` for a script. */
  readonly model: string;
  readonly apiKey?: string;
  readonly baseUrl?: string;
  /** Azure: a dated version means the older addresses, one for each deployment. */
  readonly apiVersion?: string;
  readonly awsAccessKeyId?: string;
  readonly awsSecretAccessKey?: string;
  readonly awsSessionToken?: string;
  readonly awsRegionName?: string;
  readonly vertexProject?: string;
  readonly vertexLocation?: string;
  readonly openrouterSiteUrl?: string;
  readonly openrouterAppName?: string;
  readonly extraHeaders?: { readonly [name: string]: string };
  /** Added to the body of chat requests as it is. */
  readonly extraBody?: { readonly [name: string]: unknown };

  /** The purpose in the accounts; default `agent`. */
  readonly usageId?: string;
  /** Name in the catalogue, when the endpoint calls the model something else. */
  readonly canonicalName?: string;
  /** Which of OpenAI's interfaces; `auto` decides by model. */
  readonly apiMode?: 'auto' | 'chat' | 'responses';
  /** Decisions of the catalogue that are known better; see ModelFeatures. */
  readonly capabilityOverrides?: { readonly [feature: string]: boolean };
  /** False: tool calls are asked for in the prompt and read from the text. */
  readonly nativeToolCalling?: boolean;
  readonly forceStringSerializer?: boolean;
  readonly disableVision?: boolean;
  readonly disableStopWord?: boolean;
  /** Marks for the provider's prompt cache, where it takes them; default true. */
  readonly cachingPrompt?: boolean;
  /** OpenAI: how long the cache is kept, `in_memory` or `24h`; `none` to say nothing. */
  readonly promptCacheRetention?: 'in_memory' | '24h' | 'none';

  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly seed?: number;
  readonly maxInputTokens?: number;
  readonly maxOutputTokens?: number;
  readonly reasoningEffort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh';
  readonly reasoningSummary?: 'auto' | 'concise' | 'detailed';
  /** Tokens of thought at most, for the models that are given a number instead of an effort. */
  readonly extendedThinkingBudget?: number;
  /** False: what the model thought is not stored. */
  readonly preserveReasoning?: boolean;

  /** Total attempts, the first included; default 5. */
  readonly numRetries?: number;
  /** Wait before attempt k+1: `multiplier * 2^(k-1)`, within the least and the longest wait. */
  readonly retryMultiplierMs?: number;
  readonly retryMinWaitMs?: number;
  readonly retryMaxWaitMs?: number;
  /** Of one attempt; 0 for none. */
  readonly timeoutMs?: number;
  /** Of all attempts of a call together; 0 for none. */
  readonly deadlineMs?: number;

  /** USD. */
  readonly inputCostPerToken?: number;
  readonly outputCostPerToken?: number;

  readonly logCompletions?: boolean;
  readonly logCompletionsFolder?: string;

  /** Asked in this order when the model cannot be reached. */
  readonly fallbacks?: readonly LlmConfig[];
  /** Other models, and when they are asked instead of this one. */
  readonly routing?: Routing;
}

export interface Routing {
  readonly llms: { readonly [name: string]: LlmConfig };
  /** The first that fits decides; when none does, the model itself is asked. */
  readonly rules: readonly RoutingRule[];
}

/** Every condition that is given must hold. */
export interface RoutingRule {
  /** Whether some message shows an image. */
  readonly hasImage?: boolean;
  /** Whether the model has said nothing yet. */
  readonly isFirstTurn?: boolean;
  /** The prompt is at least so long, estimated. */
  readonly minPromptTokens?: number;
  /** A name in `llms`, or `primary` for the model itself. */
  readonly use: string;
}

type Kind =
  | 'text'
  | 'secret'
  | 'whole number'
  | 'number'
  | 'number of seconds'
  | 'switch'
  | 'table'
  | readonly string[];

export interface Field {
  readonly field: keyof LlmConfig;
  readonly kind: Kind;
}

/** By the name in files and on the wire. */
export const LLM_FIELDS: { readonly [name: string]: Field } = {
  model: { field: 'model', kind: 'text' },
  api_key: { field: 'apiKey', kind: 'secret' },
  base_url: { field: 'baseUrl', kind: 'text' },
  api_version: { field: 'apiVersion', kind: 'text' },
  aws_access_key_id: { field: 'awsAccessKeyId', kind: 'secret' },
  aws_secret_access_key: { field: 'awsSecretAccessKey', kind: 'secret' },
  aws_session_token: { field: 'awsSessionToken', kind: 'secret' },
  aws_region_name: { field: 'awsRegionName', kind: 'text' },
  vertex_project: { field: 'vertexProject', kind: 'text' },
  vertex_location: { field: 'vertexLocation', kind: 'text' },
  openrouter_site_url: { field: 'openrouterSiteUrl', kind: 'text' },
  openrouter_app_name: { field: 'openrouterAppName', kind: 'text' },
  num_retries: { field: 'numRetries', kind: 'whole number' },
  retry_multiplier: { field: 'retryMultiplierMs', kind: 'number of seconds' },
  retry_min_wait: { field: 'retryMinWaitMs', kind: 'number of seconds' },
  retry_max_wait: { field: 'retryMaxWaitMs', kind: 'number of seconds' },
  timeout: { field: 'timeoutMs', kind: 'number of seconds' },
  retry_deadline: { field: 'deadlineMs', kind: 'number of seconds' },
  temperature: { field: 'temperature', kind: 'number' },
  top_p: { field: 'topP', kind: 'number' },
  top_k: { field: 'topK', kind: 'number' },
  seed: { field: 'seed', kind: 'whole number' },
  max_input_tokens: { field: 'maxInputTokens', kind: 'whole number' },
  max_output_tokens: { field: 'maxOutputTokens', kind: 'whole number' },
  model_canonical_name: { field: 'canonicalName', kind: 'text' },
  api_mode: { field: 'apiMode', kind: ['auto', 'chat', 'responses'] },
  capability_overrides: { field: 'capabilityOverrides', kind: 'table' },
  extra_headers: { field: 'extraHeaders', kind: 'table' },
  litellm_extra_body: { field: 'extraBody', kind: 'table' },
  native_tool_calling: { field: 'nativeToolCalling', kind: 'switch' },
  force_string_serializer: { field: 'forceStringSerializer', kind: 'switch' },
  disable_vision: { field: 'disableVision', kind: 'switch' },
  disable_stop_word: { field: 'disableStopWord', kind: 'switch' },
  caching_prompt: { field: 'cachingPrompt', kind: 'switch' },
  prompt_cache_retention: { field: 'promptCacheRetention', kind: ['in_memory', '24h', 'none'] },
  reasoning_effort: { field: 'reasoningEffort', kind: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] },
  reasoning_summary: { field: 'reasoningSummary', kind: ['auto', 'concise', 'detailed'] },
  extended_thinking_budget: { field: 'extendedThinkingBudget', kind: 'whole number' },
  input_cost_per_token: { field: 'inputCostPerToken', kind: 'number' },
  output_cost_per_token: { field: 'outputCostPerToken', kind: 'number' },
  log_completions: { field: 'logCompletions', kind: 'switch' },
  log_completions_folder: { field: 'logCompletionsFolder', kind: 'text' },
  usage_id: { field: 'usageId', kind: 'text' },
};

/** A value under its field; nothing for an empty text. Throws TypeError that tells what it must be, never what a text says. */
export function readField({ field, kind }: Field, value: unknown): Partial<LlmConfig> {
  const wrong = (found: string) => new TypeError(`must be ${expected(kind)}, not ${found}`);
  switch (kind) {
    case 'text':
    case 'secret':
      if (typeof value !== 'string') throw wrong(typeName(value));
      return value === '' ? {} : { [field]: value };
    case 'switch':
      if (typeof value !== 'boolean') throw wrong(typeName(value));
      return { [field]: value };
    case 'table':
      if (!isTable(value)) throw wrong(typeName(value));
      return { [field]: value };
    case 'number':
    case 'whole number':
    case 'number of seconds':
      if (typeof value !== 'number') throw wrong(typeName(value));
      if (!(value >= 0) || (kind === 'whole number' && !Number.isInteger(value))) throw wrong(String(value));
      return { [field]: kind === 'number of seconds' ? value * 1_000 : value };
    default:
      if (typeof value !== 'string') throw wrong(typeName(value));
      if (value !== '' && !kind.includes(value)) throw wrong(`"${value}"`);
      return value === '' ? {} : { [field]: value };
  }
}

const SWITCHES: { readonly [word: string]: boolean } = {
  true: true,
  1: true,
  yes: true,
  on: true,
  false: false,
  0: false,
  no: false,
  off: false,
};

/** The same from text, as an environment variable holds it. Throws TypeError. */
export function readFieldText(field: Field, words: string): Partial<LlmConfig> {
  switch (field.kind) {
    case 'switch':
      return readField(field, SWITCHES[words.toLowerCase()] ?? words);
    case 'number':
    case 'whole number':
    case 'number of seconds':
      return readField(field, Number.isNaN(Number(words)) ? words : Number(words));
    case 'table':
      return readField(field, parsedOr(words));
    default:
      return readField(field, words);
  }
}

function parsedOr(words: string): unknown {
  try {
    return JSON.parse(words);
  } catch {
    return words;
  }
}

/** As it is on the wire, without nulls. Secrets are what `secret` makes of them. */
export function llmToWire(config: LlmConfig, secret: (value: string) => string | undefined): object {
  const wire: { [name: string]: unknown } = {};
  for (const [name, { field, kind }] of Object.entries(LLM_FIELDS)) {
    const value = config[field];
    if (value === undefined) continue;
    if (kind === 'secret') wire[name] = secret(value as string);
    else wire[name] = kind === 'number of seconds' ? (value as number) / 1_000 : value;
  }
  return wire;
}

/** What of a stored model is of use: unknown keys, nulls and redacted secrets are passed over. Throws TypeError. */
export function llmFromWire(wire: { readonly [name: string]: unknown }): LlmConfig {
  const config: { [field: string]: unknown } = {};
  for (const [name, field] of Object.entries(LLM_FIELDS)) {
    const value = wire[name];
    if (value === undefined || value === null) continue;
    if (field.kind === 'secret' && typeof value === 'string' && /^\*+$/.test(value)) continue;
    try {
      Object.assign(config, readField(field, value));
    } catch (error) {
      throw new TypeError(`${name} ${(error as Error).message}`);
    }
  }
  if (typeof config['model'] !== 'string') throw new TypeError('model is missing');
  return config as unknown as LlmConfig;
}

function expected(kind: Kind): string {
  if (typeof kind !== 'string') return `one of ${kind.join(', ')}`;
  if (kind === 'text' || kind === 'secret') return 'text in quotes';
  return kind === 'switch' ? 'true or false' : `a ${kind}`;
}

function typeName(value: unknown): string {
  if (typeof value === 'string') return 'text';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : 'a table or date';
}

function isTable(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

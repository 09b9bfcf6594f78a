/**
 * Every setting of a model, by its name in files and on the wire: the source of the types in llm-config.ts, of reading
 * `config.toml`, `LLM_...` variables, profiles and `base_state.json`, and of their documentation. Names, order and defaults are
 * the reference's (SDK 1.43, `LLM`).
 */
import type { Setting } from './setting.ts';

/** The groups that settings travel in. */
export type LlmGroup =
  | 'endpoint'
  | 'capabilities'
  | 'sampling'
  | 'limits'
  | 'retry'
  | 'prices'
  | 'completionLog';

export interface LlmField extends Setting {
  /** Absent: a member of the configuration itself. */
  readonly group?: LlmGroup;
  /** Its name there. */
  readonly field: string;
}

export const LLM_FIELDS = {
  model: { field: 'model', kind: 'text', means: '`provider/model`; or a bare name, with `base_url`' },
  api_key: { group: 'endpoint', field: 'apiKey', kind: 'secret', means: 'the key of the provider' },
  base_url: {
    group: 'endpoint',
    field: 'baseUrl',
    kind: 'text',
    means: 'the address of the endpoint',
    byDefault: "the provider's",
  },
  api_version: {
    group: 'endpoint',
    field: 'apiVersion',
    kind: 'text',
    means: 'Azure: a dated version selects the older interface, with one address for each deployment',
  },
  aws_access_key_id: {
    group: 'endpoint',
    field: 'awsAccessKeyId',
    kind: 'secret',
    means: 'Bedrock, as `AWS_ACCESS_KEY_ID`',
  },
  aws_secret_access_key: {
    group: 'endpoint',
    field: 'awsSecretAccessKey',
    kind: 'secret',
    means: 'Bedrock, as `AWS_SECRET_ACCESS_KEY`',
  },
  aws_session_token: {
    group: 'endpoint',
    field: 'awsSessionToken',
    kind: 'secret',
    means: 'Bedrock, as `AWS_SESSION_TOKEN`',
  },
  aws_region_name: {
    group: 'endpoint',
    field: 'awsRegionName',
    kind: 'text',
    means: 'Bedrock, as `AWS_REGION_NAME`',
    byDefault: '`us-east-1`',
  },
  vertex_project: {
    group: 'endpoint',
    field: 'vertexProject',
    kind: 'text',
    means: 'Vertex, as `VERTEXAI_PROJECT`',
  },
  vertex_location: {
    group: 'endpoint',
    field: 'vertexLocation',
    kind: 'text',
    means: 'Vertex, as `VERTEXAI_LOCATION`',
    byDefault: '`global`',
  },
  openrouter_site_url: {
    group: 'endpoint',
    field: 'openrouterSiteUrl',
    kind: 'text',
    means: 'OpenRouter: the site to attribute requests to',
  },
  openrouter_app_name: {
    group: 'endpoint',
    field: 'openrouterAppName',
    kind: 'text',
    means: 'OpenRouter: the application to attribute requests to',
  },
  num_retries: {
    group: 'retry',
    field: 'attempts',
    kind: 'whole number',
    means: 'attempts in all, the first included',
    byDefault: '5',
  },
  retry_multiplier: {
    group: 'retry',
    field: 'multiplierMs',
    kind: 'number of seconds',
    means: 'the wait before the second attempt; it doubles with each further one',
    byDefault: '8',
  },
  retry_min_wait: {
    group: 'retry',
    field: 'minWaitMs',
    kind: 'number of seconds',
    means: 'the shortest wait',
    byDefault: '8',
  },
  retry_max_wait: {
    group: 'retry',
    field: 'maxWaitMs',
    kind: 'number of seconds',
    means: 'the longest wait',
    byDefault: '64',
  },
  timeout: {
    group: 'retry',
    field: 'timeoutMs',
    kind: 'number of seconds',
    means: 'the limit for one attempt; 0: none',
    byDefault: '300',
  },
  retry_deadline: {
    group: 'retry',
    field: 'deadlineMs',
    kind: 'number of seconds',
    means: 'the limit for all attempts and waits of a call together; 0: none',
    byDefault: 'none',
  },
  temperature: {
    group: 'sampling',
    field: 'temperature',
    kind: 'number',
    means: 'sent as it is',
    byDefault: "the provider's",
  },
  top_p: {
    group: 'sampling',
    field: 'topP',
    kind: 'number',
    means: 'sent as it is',
    byDefault: "the provider's",
  },
  top_k: {
    group: 'sampling',
    field: 'topK',
    kind: 'number',
    means: 'sent as it is',
    byDefault: "the provider's",
  },
  seed: { group: 'sampling', field: 'seed', kind: 'whole number', means: 'sent as it is', byDefault: 'none' },
  max_input_tokens: {
    group: 'limits',
    field: 'maxInputTokens',
    kind: 'whole number',
    means: 'the context window, at least 16,384',
    byDefault: "the catalogue's",
  },
  max_output_tokens: {
    group: 'limits',
    field: 'maxOutputTokens',
    kind: 'whole number',
    means: 'the longest answer',
    byDefault: "the provider's",
  },
  max_message_chars: {
    group: 'limits',
    field: 'maxMessageChars',
    kind: 'whole number above 0',
    means: 'the most characters of a result that the model is shown: its start and its end',
    byDefault: "30,000: the tools' own limits",
  },
  model_canonical_name: {
    group: 'capabilities',
    field: 'canonicalName',
    kind: 'text',
    means: 'the name that features are decided by, when the endpoint calls the model something else',
  },
  api_mode: {
    group: 'capabilities',
    field: 'apiMode',
    kind: ['auto', 'chat', 'responses'],
    means: "which of OpenAI's interfaces to use; `auto`: by the model",
    byDefault: '`auto`',
  },
  capability_overrides: {
    group: 'capabilities',
    field: 'overrides',
    kind: 'table of switches',
    means: 'corrections of [features](#what-the-catalogue-decides)',
  },
  extra_headers: {
    group: 'endpoint',
    field: 'headers',
    kind: 'table of texts',
    means: 'headers to add to each request',
  },
  litellm_extra_body: {
    group: 'endpoint',
    field: 'extraBody',
    kind: 'table',
    means: 'members to add to the body of each chat request',
  },
  native_tool_calling: {
    group: 'capabilities',
    field: 'nativeToolCalling',
    kind: 'switch',
    means: 'false: tools are described in the prompt, and calls are read from the text',
    byDefault: 'by the model',
  },
  force_string_serializer: {
    group: 'capabilities',
    field: 'forceStringSerializer',
    kind: 'switch',
    means: 'true: the content of a message is sent as one text instead of a list',
    byDefault: 'by the model',
  },
  disable_vision: {
    group: 'capabilities',
    field: 'disableVision',
    kind: 'switch',
    means: 'true: no images are sent',
    byDefault: 'by the model',
  },
  disable_stop_word: {
    group: 'capabilities',
    field: 'disableStopWord',
    kind: 'switch',
    means: 'true: no stop words are sent',
    byDefault: 'by the model',
  },
  caching_prompt: {
    group: 'capabilities',
    field: 'cachingPrompt',
    kind: 'switch',
    means: "false: no marks for Anthropic's prompt cache",
    byDefault: 'by the model',
  },
  prompt_cache_retention: {
    group: 'capabilities',
    field: 'promptCacheRetention',
    kind: ['in_memory', '24h', 'none'],
    means: 'how long OpenAI keeps the prompt cache; `none`: not sent',
    byDefault: '`24h`',
  },
  reasoning_effort: {
    group: 'sampling',
    field: 'reasoningEffort',
    kind: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'],
    means: 'how much a reasoning model thinks',
    byDefault: '`high`',
  },
  reasoning_summary: {
    group: 'sampling',
    field: 'reasoningSummary',
    kind: ['auto', 'concise', 'detailed'],
    means: 'OpenAI: the summary of its reasoning to return',
    byDefault: 'none',
  },
  extended_thinking_budget: {
    group: 'sampling',
    field: 'extendedThinkingBudget',
    kind: 'whole number',
    means: 'tokens to think with, for models that take a number instead of an effort',
    byDefault: 'none',
  },
  input_cost_per_token: {
    group: 'prices',
    field: 'inputUsdPerToken',
    kind: 'number',
    means: 'US dollars for a token of the prompt',
    byDefault: "the catalogue's",
  },
  output_cost_per_token: {
    group: 'prices',
    field: 'outputUsdPerToken',
    kind: 'number',
    means: 'US dollars for a token of the answer',
    byDefault: "the catalogue's",
  },
  log_completions: {
    group: 'completionLog',
    field: 'enabled',
    kind: 'switch',
    means: 'true: a file for each call; see [seeing what was sent](#seeing-what-was-sent)',
    byDefault: 'false',
  },
  log_completions_folder: {
    group: 'completionLog',
    field: 'folder',
    kind: 'text',
    means: 'where these files go',
    byDefault: '`logs/completions`',
  },
  usage_id: {
    field: 'usageId',
    kind: 'text',
    means: "the model's name in the accounts",
    byDefault: '`agent`',
  },
} as const satisfies { readonly [name: string]: LlmField };

export type LlmFields = typeof LLM_FIELDS;

/** The name of a setting, as in `config.toml`. */
export type LlmKey = keyof LlmFields;

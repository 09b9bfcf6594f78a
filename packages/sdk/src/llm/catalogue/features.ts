/**
 * What a model can do and how it should be called, decided by its name, with the reason for each decision. Sources of the rules: the
 * reference (SDK 1.43, model features), V0's list of models without native tool calls, and the providers' documentation.
 */
import type { LlmConfig } from '../config/llm-config.ts';
import type { ResolvedModel } from './model-name.ts';

export interface ModelFeatures {
  /** Tools are sent as tools; otherwise they are described in the prompt. */
  readonly nativeTools: boolean;
  /** Images are sent. */
  readonly vision: boolean;
  /** The model accepts a reasoning effort. */
  readonly reasoningEffort: boolean;
  /** Marks for the prompt cache are set. */
  readonly cacheMarks: boolean;
  /** The model accepts a retention time for the prompt cache. */
  readonly cacheRetention: boolean;
  /** The model accepts stop words. */
  readonly stopWords: boolean;
  /** OpenAI's Responses interface instead of chat. */
  readonly responsesApi: boolean;
  /** The content of chat messages is sent as one text instead of a list. */
  readonly stringContent: boolean;
  /** Its reasoning is sent back as text. */
  readonly replayReasoning: boolean;
  /** Anthropic's signed thinking blocks are sent back. */
  readonly replayThinking: boolean;
  /** Tools are described briefly. */
  readonly briefTools: boolean;
}

export interface Decision {
  readonly value: boolean;
  readonly why: string;
}

export type Decisions = { readonly [K in keyof ModelFeatures]: Decision };

/** The reason given for an unknown model. */
export const UNKNOWN_MODEL = 'the model is unknown; this is the safe choice';

/** What the makers document about a family; the first match applies. */
const FAMILIES: readonly (readonly [
  pattern: RegExp,
  can: { readonly vision: boolean; readonly reasoning: boolean },
])[] = [
  [/claude-(instant|2|v1)/, { vision: false, reasoning: false }],
  [
    /claude-3-7|claude-3\.7|claude-(opus|sonnet|haiku|fable)-?[4-9]|claude-[4-9]/,
    { vision: true, reasoning: true },
  ],
  [/claude/, { vision: true, reasoning: false }],
  [/(o1|o3)-mini/, { vision: false, reasoning: true }],
  [/gpt-oss/, { vision: false, reasoning: true }],
  [/gpt-[5-9].*chat/, { vision: true, reasoning: false }],
  [/gpt-[5-9]|\bo[134]\b|codex/, { vision: true, reasoning: true }],
  [/gpt-4o|gpt-4\.1|gpt-4-turbo|chatgpt-4o/, { vision: true, reasoning: false }],
  [/gpt-(3\.5|4)/, { vision: false, reasoning: false }],
  [/gemini-(2\.5|[3-9])/, { vision: true, reasoning: true }],
  [/gemini|gemma-?[34]/, { vision: true, reasoning: false }],
  [/grok-(code|3)/, { vision: false, reasoning: false }],
  [/grok-[4-9]/, { vision: true, reasoning: false }],
  [/deepseek-(v[4-9])/, { vision: false, reasoning: true }],
  [/deepseek/, { vision: false, reasoning: false }],
  [/kimi-k3/, { vision: true, reasoning: true }],
  [/kimi-k2[.p][5-9]/, { vision: true, reasoning: false }],
  [/kimi/, { vision: false, reasoning: false }],
  [
    /glm-[\d.p]+v|qwen.*vl|qwen-?3[.p][5-9]|qvq|llava|pixtral|vision|internvl/,
    { vision: true, reasoning: false },
  ],
  [
    /llama-?4|mistral-(medium|large|small)|magistral|minimax-m3|nova-(lite|pro|premier)/,
    { vision: true, reasoning: false },
  ],
  [
    /glm|qwen|llama|devstral|codestral|ministral|mixtral|minimax|phi|nova|command|granite|nemotron/,
    { vision: false, reasoning: false },
  ],
];

/** Models without reliable native tool calls. */
const TEXT_ONLY =
  /openhands-lm|gemma-?[123]\b|codellama|llama-?2|deepseek-(coder|r1-distill)|starcoder|wizard|vicuna|phi-?[23]\b/;
const CACHE_MARKS = /claude-(3|sonnet|opus|haiku|fable|[4-9])/;
const NO_STOP_WORDS = /\bo1|\bo3|grok-4-0709|grok-code-fast-1|deepseek-r1-0528/;
const RESPONSES = /^(gpt-[5-9]|codex|o[134](-|$))/;
const STRING_CONTENT = /deepseek|glm|groq\/.*kimi-k2-instruct|openrouter\/minimax/;
const REPLAY_REASONING =
  /kimi-k3|kimi-k2-thinking|kimi-k2[.p][56]|openrouter\/(minimax\/)?minimax-m2|deepseek-reasoner|deepseek-v4-(pro|flash)/;
/** From V0: these models do not benefit from long descriptions, and cut them off at 1,024 characters. */
const BRIEF_TOOLS = /gpt-4|\bo[134]\b/;
/** The last match applies. */
const CACHE_RETENTION: readonly (readonly [RegExp, boolean])[] = [
  [/gpt-5/, true],
  [/gpt-4\.1/, true],
  [/mini/, false],
  [/gpt-5\.1-codex-mini/, true],
  [/^azure\//, false],
];

/** The name that the rules match: lower case, with the provider, without the prefix of a proxy. */
export function ruleName({ model, capabilities }: LlmConfig): string {
  return (capabilities?.canonicalName ?? model)
    .toLowerCase()
    .replace(/^(litellm_proxy|openhands)\//, '')
    .replace(/^(prod|dev|staging|test)\//, '');
}

export function decideFeatures(config: LlmConfig, resolved: ResolvedModel): Decisions {
  const name = ruleName(config);
  const { capabilities = {}, sampling } = config;
  const family = FAMILIES.find(([pattern]) => pattern.test(name))?.[1];
  const chat =
    resolved.dialect === 'compatible' || resolved.dialect === 'openai' || resolved.dialect === 'azure';
  const own: Decisions = {
    nativeTools: setting(capabilities.nativeToolCalling, 'native_tool_calling') ?? {
      value: !TEXT_ONLY.test(name),
      why: TEXT_ONLY.test(name)
        ? 'the model has no native tool calls'
        : 'all but a few models have native tool calls',
    },
    vision:
      setting(capabilities.disableVision === true ? false : undefined, 'disable_vision') ??
      byFamily(family?.vision),
    reasoningEffort:
      setting(sampling?.reasoningEffort === undefined ? undefined : true, 'reasoning_effort') ??
      byFamily(family?.reasoning),
    cacheMarks:
      setting(capabilities.cachingPrompt === false ? false : undefined, 'caching_prompt') ??
      byRule(CACHE_MARKS.test(name), 'Claude uses cache marks; other models detect the prefix themselves'),
    cacheRetention: byRule(
      resolved.dialect === 'openai' && lastOf(CACHE_RETENTION, name),
      'OpenAI lets requests set the cache retention of some models',
    ),
    stopWords:
      setting(capabilities.disableStopWord === true ? false : undefined, 'disable_stop_word') ??
      byRule(!NO_STOP_WORDS.test(name), 'all but a few reasoning models accept stop words'),
    responsesApi: responsesDecision(config, resolved),
    stringContent:
      setting(capabilities.forceStringSerializer, 'force_string_serializer') ??
      byRule(chat && STRING_CONTENT.test(name), 'some endpoints do not accept lists'),
    replayReasoning: byRule(
      resolved.dialect === 'compatible' && REPLAY_REASONING.test(name),
      'some models need their earlier reasoning sent back',
    ),
    replayThinking: byRule(/claude/.test(name), 'Claude needs its signed thinking sent back'),
    briefTools: byRule(BRIEF_TOOLS.test(name), 'these models do not benefit from long descriptions'),
  };
  return overridden(own, capabilities.overrides ?? {});
}

export function featuresOf(decisions: Decisions): ModelFeatures {
  const entries = Object.entries(decisions).map(([feature, { value }]) => [feature, value]);
  return Object.fromEntries(entries) as unknown as ModelFeatures;
}

/** A feature's name in configuration files: `nativeTools` becomes `native_tools`. */
export function featureName(feature: string): string {
  return feature.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function responsesDecision({ capabilities, endpoint }: LlmConfig, { dialect, id }: ResolvedModel): Decision {
  const apiMode = capabilities?.apiMode;
  if (apiMode === 'responses' || apiMode === 'chat')
    return { value: apiMode === 'responses', why: 'set by api_mode' };
  if (dialect === 'azure' && endpoint?.apiVersion !== undefined)
    return { value: false, why: 'a dated api_version has one chat address per deployment' };
  const fits = (dialect === 'openai' || dialect === 'azure') && RESPONSES.test(id);
  return byRule(fits, 'the Responses interface is for OpenAI’s reasoning models, at OpenAI and Azure');
}

function setting(value: boolean | undefined, name: string): Decision | undefined {
  return value === undefined ? undefined : { value, why: `set by ${name}` };
}

function byFamily(value: boolean | undefined): Decision {
  return value === undefined
    ? { value: false, why: UNKNOWN_MODEL }
    : { value, why: 'known for its model family' };
}

function byRule(value: boolean, why: string): Decision {
  return { value, why };
}

function lastOf(rules: readonly (readonly [RegExp, boolean])[], name: string): boolean {
  return rules.findLast(([pattern]) => pattern.test(name))?.[1] ?? false;
}

function overridden(decisions: Decisions, overrides: { readonly [feature: string]: boolean }): Decisions {
  const entries = Object.entries(decisions).map(([feature, decision]) => {
    const value = overrides[featureName(feature)];
    return [feature, value === undefined ? decision : { value, why: 'set by capability_overrides' }];
  });
  return Object.fromEntries(entries) as unknown as Decisions;
}

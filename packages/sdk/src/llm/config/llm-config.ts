/** The configuration of a model as plain data, in groups that travel whole. The members of the groups: llm-fields.ts. */
import { defined } from '../../value/defined.ts';
import { LLM_FIELDS, type LlmField, type LlmFields, type LlmGroup, type LlmKey } from './llm-fields.ts';
import type { ValueOf } from './setting.ts';

/** The specification of a model: its name, where it is reached, and how it is called. */
export interface LlmConfig {
  /** `provider/model` as LiteLLM writes it, or a bare name with a base URL; `scripted/<file>` for a script. */
  readonly model: string;
  /** The purpose in the accounts; default `agent`. */
  readonly usageId?: string | undefined;
  readonly endpoint?: Endpoint | undefined;
  readonly capabilities?: Capabilities | undefined;
  readonly sampling?: Sampling | undefined;
  readonly limits?: ModelLimits | undefined;
  readonly retry?: RetryPolicy | undefined;
  readonly prices?: Prices | undefined;
  readonly completionLog?: CompletionLog | undefined;
  /** Models to ask, in this order, when this one cannot be reached. */
  readonly fallbacks?: readonly LlmConfig[] | undefined;
  /** Other models, and when they are asked instead of this one. */
  readonly routing?: Routing | undefined;
}

type Group<G extends LlmGroup> = {
  readonly [N in LlmKey as LlmFields[N] extends { readonly group: G } ? LlmFields[N]['field'] : never]?:
    | ValueOf<LlmFields[N]['kind']>
    | undefined;
};

/** Where a model is reached, and with which credentials: a fact of today, whatever conversation it is used for. */
export interface Endpoint extends Group<'endpoint'> {}

/** What the model can do and how it wants to be asked, where that is known better than by its name. */
export interface Capabilities extends Group<'capabilities'> {
  /** False: the model's reasoning is not stored. */
  readonly preserveReasoning?: boolean | undefined;
}

/** How the model chooses its words, and how much it thinks first. */
export interface Sampling extends Group<'sampling'> {}

/** Tokens, and characters of a message. */
export interface ModelLimits extends Group<'limits'> {}

/** How often and how long a call is tried. Wait before attempt k+1: `multiplierMs * 2^(k-1)`, within the bounds. */
export interface RetryPolicy extends Group<'retry'> {}

/** USD per token. */
export interface Prices extends Group<'prices'> {}

/** A file for each call, in the reference's format. */
export interface CompletionLog extends Group<'completionLog'> {}

export interface Routing {
  readonly llms: { readonly [name: string]: LlmConfig };
  /** The first that matches decides; if none does, the model itself is asked. */
  readonly rules: readonly RoutingRule[];
}

/** Every condition that is given must hold. */
export interface RoutingRule {
  /** Whether a message contains an image. */
  readonly hasImage?: boolean | undefined;
  /** Whether the model has not answered yet. */
  readonly isFirstTurn?: boolean | undefined;
  /** The least length of the prompt, estimated. */
  readonly minPromptTokens?: number | undefined;
  /** A name in `llms`, or `primary` for the model itself. */
  readonly use: string;
}

/** The value of a setting; undefined if it is unset. */
export function llmSetting(config: Partial<LlmConfig>, key: LlmKey): unknown {
  const { group, field }: LlmField = LLM_FIELDS[key];
  const holder: { readonly [field: string]: unknown } =
    group === undefined ? { ...config } : { ...config[group] };
  return holder[field];
}

/** The configuration that has these settings. */
export function llmOfSettings(settings: Iterable<readonly [LlmKey, unknown]>): Partial<LlmConfig> {
  const config: { [member: string]: unknown } = {};
  for (const [key, value] of settings) {
    if (value === undefined) continue;
    const { group, field }: LlmField = LLM_FIELDS[key];
    if (group === undefined) config[field] = value;
    else config[group] = { ...(config[group] as object | undefined), [field]: value };
  }
  return config as Partial<LlmConfig>;
}

const GROUPS: ReadonlySet<string> = new Set(
  Object.values<LlmField>(LLM_FIELDS).flatMap(({ group }) => group ?? []),
);

/** Several configurations as one, the nearest first: each setting comes from the first of them that has it. */
export function mergeLlm(...nearestFirst: readonly Partial<LlmConfig>[]): Partial<LlmConfig> {
  const merged: { [member: string]: unknown } = {};
  for (const config of nearestFirst.toReversed())
    for (const [member, value] of Object.entries(defined(config)))
      merged[member] = GROUPS.has(member)
        ? { ...(merged[member] as object | undefined), ...defined(value as object) }
        : value;
  return merged as Partial<LlmConfig>;
}

/** The same model reached elsewhere: members of `endpoint` take the place of its own. */
export function withEndpoint(config: LlmConfig, endpoint: Endpoint | undefined): LlmConfig {
  return { ...config, endpoint: { ...config.endpoint, ...defined(endpoint ?? {}) } };
}

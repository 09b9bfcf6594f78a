import { masker, secretsOf } from '../security/mask.ts';
import { defined } from '../value/defined.ts';
import { decideFeatures, featuresOf, type ModelFeatures, ruleName } from './catalogue/features.ts';
import { modelInfo } from './catalogue/model-info.ts';
import { type ResolvedModel, resolveModel } from './catalogue/model-name.ts';
import { checkConfig } from './config/check-config.ts';
import type { LlmConfig } from './config/llm-config.ts';
import { secretsOfConfig } from './config/model-secrets.ts';
import { LLMError } from './errors.ts';
import { captureOptions } from './layer/capture-options.ts';
import { withFallback } from './layer/fallback.ts';
import { withGuard } from './layer/guard.ts';
import { withPrices } from './layer/prices.ts';
import { withRetry } from './layer/retry.ts';
import { routeByRules, withRouter } from './layer/router.ts';
import { withToolRefusal } from './layer/tool-refusal.ts';
import { withTracing } from './layer/tracing.ts';
import type { LLM } from './llm.ts';
import { openProvider } from './provider/open-provider.ts';
import { type ProviderModel, providerLlm } from './provider/provider-llm.ts';
import { Transport } from './provider/transport.ts';

export interface CreateLlmOptions {
  /** The variables to read keys and switches from; default: the process's environment. */
  readonly env?: { readonly [name: string]: string | undefined };
  /** What to mask in captured files, besides keys. */
  readonly secrets?: () => Iterable<string>;
}

/**
 * The model that a configuration names, behind its layers:
 *
 *     provider <- tracing <- retry <- prompted tools <- capture <- prices <- guard <- fallback <- router
 *
 * Only the package of the named provider is loaded. Throws LLMError for an unknown name, a missing key or package, and settings that
 * contradict each other.
 */
export async function createLlm(config: LlmConfig, options: CreateLlmOptions = {}): Promise<LLM> {
  const { fallbacks = [], routing, ...own } = config;
  const related = (other: LlmConfig): LlmConfig => ({ ...other, usageId: config.usageId ?? other.usageId });
  const llm = await createOne(own, options, routing);
  const others = await Promise.all(fallbacks.map((other) => createLlm(related(other), options)));
  const reachable = others.length === 0 ? llm : withFallback(llm, others);
  if (routing === undefined) return reachable;
  const entries = Object.entries(routing.llms).map(
    async ([name, other]) => [name, await createLlm(related(other), options)] as const,
  );
  return withRouter(reachable, Object.fromEntries(await Promise.all(entries)), routeByRules(routing.rules));
}

async function createOne(
  config: LlmConfig,
  options: CreateLlmOptions,
  routing: LlmConfig['routing'],
): Promise<LLM> {
  const env = options.env ?? process.env;
  const resolved = resolveModel(config.model, config.endpoint);
  const decisions = decideFeatures(config, resolved);
  checkConfig({ ...config, routing }, resolved, decisions, env);
  const features = featuresOf(decisions);
  if (resolved.dialect === 'scripted') {
    const { readScript, scriptedLlm } = await import('./playback/scripted-llm.ts');
    const scripted = scriptedLlm(await readScript(resolved.id), config);
    return await layered(scripted, { config, resolved, features, env, options, apiKey: undefined });
  }
  const apiKey = keyOf(config, resolved, env);
  const transport = new Transport();
  const preserveReasoning = preservesReasoning(config, env);
  const asked = { ...config, capabilities: { ...config.capabilities, preserveReasoning } };
  const opened = await openProvider({ config: asked, resolved, features, apiKey, transport, env });
  const provider = providerOf(opened, { config: asked, resolved, features, apiKey, transport, env });
  return await layered(provider, { config, resolved, features, env, options, apiKey });
}

function preservesReasoning({ capabilities }: LlmConfig, env: NonNullable<CreateLlmOptions['env']>): boolean {
  const asked = env['LONGHAND_PRESERVE_REASONING_FIELD'] ?? env['OPENHANDS_PRESERVE_REASONING_FIELD'];
  return capabilities?.preserveReasoning ?? !/^(0|false|no|off)$/i.test(asked ?? '');
}

interface Layers {
  readonly config: LlmConfig;
  readonly resolved: ResolvedModel;
  readonly features: ModelFeatures;
  readonly env: NonNullable<CreateLlmOptions['env']>;
  readonly options: CreateLlmOptions;
  readonly apiKey: string | undefined;
}

async function layered(
  provider: LLM,
  { config, resolved, features, env, options, apiKey }: Layers,
): Promise<LLM> {
  const tried = withRetry(withTracing(provider, config, resolved), config);
  const called = await withTools(tried, config, features);
  const capture = captureOptions(config, env, (text) =>
    masker([apiKey, ...secretsOf(env), ...secretsOfConfig(config), ...(options.secrets?.() ?? [])])(text),
  );
  const captured =
    capture === null
      ? called
      : (await import('./layer/capture.ts')).withCapture(called, config, features, capture);
  return withGuard(withPrices(captured, config, resolved));
}

async function withTools(
  llm: LLM,
  config: LlmConfig,
  { nativeTools, stopWords }: ModelFeatures,
): Promise<LLM> {
  const prompted = async () => {
    const { KNOWS_THE_FORM, withPromptedTools } = await import('./prompted/with-prompted-tools.ts');
    return withPromptedTools(llm, { stopWords, example: !KNOWS_THE_FORM.test(ruleName(config)) });
  };
  if (!nativeTools) return await prompted();
  if (config.capabilities?.nativeToolCalling === true) return llm;
  return withToolRefusal(llm, prompted);
}

function keyOf(
  config: LlmConfig,
  resolved: ResolvedModel,
  env: NonNullable<CreateLlmOptions['env']>,
): string | undefined {
  const variables = resolved.keyVariables ?? [];
  const own = variables.map((name) => env[name]).find((value) => value !== undefined && value !== '');
  const key = config.endpoint?.apiKey || env['LLM_API_KEY'] || own || undefined;
  // The user's own endpoint may not need a key; the provider's does.
  const isNeeded = variables.length > 0 && config.endpoint?.baseUrl === undefined;
  if (key === undefined && isNeeded) {
    throw new LLMError('LLMAuthenticationError', `${config.model} needs a key`, {
      remedy: `Set ${variables[0]} or LLM_API_KEY.`,
    });
  }
  return key;
}

function providerOf(
  model: ProviderModel,
  {
    config,
    resolved,
    features,
    apiKey,
    transport,
  }: Omit<Layers, 'options'> & { readonly transport: Transport },
): LLM {
  return providerLlm({
    ...model,
    config,
    transport,
    info: modelInfo(config, features),
    reasoningEffort: features.reasoningEffort
      ? (config.sampling?.reasoningEffort ?? DEFAULT_EFFORT)
      : undefined,
    endpoint: {
      model: config.model,
      address: resolved.baseUrl ?? `the ${resolved.provider} API`,
      keyVariable:
        config.endpoint?.apiKey === undefined ? (resolved.keyVariables?.[0] ?? 'LLM_API_KEY') : 'LLM_API_KEY',
      ...defined({ apiKey }),
    },
  });
}

/** As in the reference. */
const DEFAULT_EFFORT = 'high';

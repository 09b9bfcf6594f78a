import { LLMError, type LlmConfig } from '@longhand/sdk';
import {
  type CatalogueEntry,
  decideFeatures,
  featureName,
  lookUp,
  ownPricing,
  type ResolvedModel,
  resolveModel,
} from '@longhand/sdk/internal';
import { readSettings } from '../config/config.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { type Asked, defineCommand, type Words } from '../flags/command.ts';
import { OUTPUT } from '../flags/shared-flags.ts';
import { MODEL, STORE } from '../flags/table.ts';
import { UsageError } from '../usage-error.ts';
import { count } from '../view/figures.ts';
import { ownLine } from '../view/own-lines.ts';
import { createReporter } from '../view/reporter.ts';

const FLAGS = { model: MODEL, output: OUTPUT, store: STORE };

const oneName: Words<string | undefined> = {
  read: ([name, more]) => {
    if (more !== undefined) throw new UsageError(`model takes one name, but was also given "${more}"`);
    return name;
  },
};

/** `longhand model NAME`: how a model would be called, and why. No request is sent. */
export const model = defineCommand({
  name: 'model',
  about:
    'longhand model NAME: explains how a model would be called with the current settings: address, key, context window, price\nand features, with the reason for each. No request is sent.',
  flags: FLAGS,
  words: oneName,
  run: explainModel,
});

async function explainModel({
  words,
  model: asked,
  output,
}: Asked<typeof FLAGS, string | undefined>): Promise<ExitCode> {
  const reporter = createReporter(output, process, process.env);
  const named = words === undefined ? asked : { ...asked, model: words };
  const settings = await readSettings({ model: named }, process.env, process.cwd());
  settings.warnings.forEach(reporter.warn);
  const { model: name } = settings.llm;
  if (name === undefined)
    throw new UsageError('model needs a name: longhand model anthropic/claude-sonnet-5');
  const report = await describe({ ...settings.llm, model: name }, process.env);
  process.stdout.write(output.json ? ownLine({ type: 'model', ...report }) : `${lines(report).join('\n')}\n`);
  return EXIT.ok;
}

interface Report {
  readonly model: string;
  readonly provider: string;
  readonly dialect: string;
  readonly address: string;
  readonly key: string;
  readonly context_window: number | null;
  readonly usd_per_million_tokens: { readonly [what: string]: number } | null;
  readonly features: { readonly [name: string]: { readonly value: boolean; readonly why: string } };
  readonly notes: readonly string[];
}

async function describe(config: LlmConfig, env: NodeJS.ProcessEnv): Promise<Report> {
  const resolved = resolved_(config);
  const entry = await lookUp(resolved);
  const decisions = decideFeatures(config, resolved);
  const features = Object.entries(decisions).map(([feature, decision]) => [featureName(feature), decision]);
  return {
    model: config.model,
    provider: resolved.provider,
    dialect: resolved.dialect,
    address: resolved.baseUrl ?? 'the provider’s own',
    key: keyWords(config, resolved, env),
    context_window: config.limits?.maxInputTokens ?? entry?.contextWindow ?? null,
    usd_per_million_tokens: prices(config, entry),
    features: Object.fromEntries(features),
    notes: notes(config, entry),
  };
}

function resolved_(config: LlmConfig): ResolvedModel {
  try {
    return resolveModel(config.model, config.endpoint);
  } catch (error) {
    if (error instanceof LLMError) throw new UsageError([error.message, error.remedy].join('\n  '));
    throw error;
  }
}

function keyWords(
  { endpoint }: LlmConfig,
  { keyVariables = [] }: ResolvedModel,
  env: NodeJS.ProcessEnv,
): string {
  if (endpoint?.apiKey !== undefined) return 'configured';
  const set = ['LLM_API_KEY', ...keyVariables].find((name) => env[name]);
  if (set !== undefined) return `from ${set}`;
  return keyVariables.length === 0 ? 'none needed' : `missing: set ${keyVariables[0]} or LLM_API_KEY`;
}

function prices(config: LlmConfig, entry: CatalogueEntry | null): Report['usd_per_million_tokens'] {
  if (ownPricing(config) === null) return entry?.usdPerMillion ?? null;
  const ofMillion = (price = 0) => Number((price * 1_000_000).toPrecision(12)); // 0.2, not 0.19999999999999998
  const { inputUsdPerToken, outputUsdPerToken } = config.prices ?? {};
  return { input: ofMillion(inputUsdPerToken), output: ofMillion(outputUsdPerToken) };
}

function notes(config: LlmConfig, entry: CatalogueEntry | null): string[] {
  if (entry !== null)
    return config.model.endsWith(entry.id) ? [] : [`prices and window are those of ${entry.id}`];
  const missing = [
    ...(config.limits?.maxInputTokens === undefined ? [['window', 'max_input_tokens']] : []),
    ...(ownPricing(config) === null ? [['price', 'input_cost_per_token, output_cost_per_token']] : []),
  ];
  const unknown = missing.map(([what]) => `its ${what}`).join(' and ');
  return [
    `the catalogue has no entry for this model at this address${unknown === '' ? '' : `: ${unknown} ${missing.length > 1 ? 'are' : 'is'} unknown`}`,
    `set ${[...missing.map(([, keys]) => keys), 'capability_overrides'].join(', ')} to correct this`,
  ];
}

function lines(report: Report): string[] {
  const { features, notes: said, usd_per_million_tokens: usd, context_window: window } = report;
  const width = Math.max(...Object.keys(features).map((name) => name.length));
  return [
    report.model,
    `  dialect          ${report.dialect} (${report.provider}), at ${report.address}`,
    `  key             ${report.key}`,
    `  context window  ${window === null ? 'unknown' : `${count(window)} tokens`}`,
    `  price           ${
      usd === null
        ? 'unknown'
        : `USD per million tokens: ${Object.entries(usd)
            .map(([what, price]) => `${what} ${price}`)
            .join(', ')}`
    }`,
    ...Object.entries(features).map(
      ([name, { value, why }]) => `  ${name.padEnd(width)}  ${value ? 'yes' : 'no '}  ${why}`,
    ),
    ...said.map((note) => `note: ${note}`),
  ];
}

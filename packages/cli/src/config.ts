/** Settings from everywhere, the nearest first: command line, environment, files. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { LlmConfig } from '@longhand/sdk';
import { type Layer, LLM_KEYS, readConfigFile, readValue } from './config-file.ts';
import type { RunCommand } from './options.ts';
import { UsageError } from './usage-error.ts';

export type Environment = { readonly [name: string]: string | undefined };

export interface Settings {
  readonly llm: Partial<LlmConfig>;
  /** Which layer a field of `llm` comes from. */
  readonly origin: { readonly [K in keyof LlmConfig]?: string };
  readonly maxIterations?: number;
  readonly maxBudgetUsd?: number;
  readonly warnings: readonly string[];
}

export const COMMAND_LINE = 'the command line';
export const ENVIRONMENT = 'the environment';
/** A file that the working directory brought along, which nobody has named. */
export const LOCAL_FILE = './config.toml';

/** Throws UsageError. */
export async function readSettings(command: RunCommand, env: Environment, cwd: string): Promise<Settings> {
  const files = await Promise.all(configFiles(command, cwd).map((args) => readConfigFile(...args)));
  const found = files.filter((file) => file !== null);
  const layers = [flagLayer(command), environmentLayer(env), ...found.map((file) => file.layer)];
  const warnings = found.flatMap((file) => file.warnings);
  return { ...merge(layers), warnings };
}

function configFiles(command: RunCommand, cwd: string): [path: string, shown: string, optional: boolean][] {
  const { configFile } = command;
  if (configFile !== undefined) return [[resolve(cwd, configFile), configFile, false]];
  return [
    [join(cwd, 'config.toml'), LOCAL_FILE, true],
    [join(homeDirectory(), 'config.toml'), '~/.longhand/config.toml', true],
  ];
}

/** Where everything of a user's lies, unless something else is said. */
export function homeDirectory(): string {
  return join(homedir(), '.longhand');
}

function flagLayer({ model, baseUrl, maxIterations, maxBudgetUsd }: RunCommand): Layer {
  return {
    name: COMMAND_LINE,
    llm: { ...(model === undefined ? {} : { model }), ...(baseUrl === undefined ? {} : { baseUrl }) },
    ...(maxIterations === undefined ? {} : { maxIterations }),
    ...(maxBudgetUsd === undefined ? {} : { maxBudgetUsd }),
  };
}

/** Every key of `[llm]` by its upper-case name, after `LLM_`. */
export function environmentLayer(env: Environment): Layer {
  const llm: { [field: string]: unknown } = {};
  for (const [name, key] of Object.entries(LLM_KEYS)) {
    const variable = `LLM_${name.toUpperCase()}`;
    const text = env[variable]?.trim();
    if (text === undefined || text === '') continue;
    const isText = key.kind === 'text' || typeof key.kind === 'object';
    Object.assign(
      llm,
      readValue(key, isText || Number.isNaN(Number(text)) ? text : Number(text), `$${variable}`),
    );
  }
  return { name: ENVIRONMENT, llm };
}

function merge(layers: readonly Layer[]): Omit<Settings, 'warnings'> {
  const llm: { [field: string]: unknown } = {};
  const origin: { [field: string]: string } = {};
  for (const layer of layers) {
    for (const [field, value] of Object.entries(layer.llm)) {
      if (field in llm) continue;
      llm[field] = value;
      origin[field] = layer.name;
    }
  }
  const maxIterations = layers.find((layer) => layer.maxIterations !== undefined)?.maxIterations;
  const maxBudgetUsd = layers.find((layer) => layer.maxBudgetUsd !== undefined)?.maxBudgetUsd;
  if (typeof llm['baseUrl'] === 'string') checkUrl(llm['baseUrl'], origin['baseUrl'] ?? '');
  return {
    llm,
    origin,
    ...(maxIterations === undefined ? {} : { maxIterations }),
    ...(maxBudgetUsd === undefined ? {} : { maxBudgetUsd }),
  };
}

function checkUrl(url: string, origin: string): void {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return;
  throw new UsageError(`the base URL "${url}" (from ${origin}) is no http or https address`);
}

/**
 * Settings from all sources. Precedence: flags (with the profile that they name), the environment, what a resumed conversation has
 * stored, config files, defaults. What is stored is added by `chooseModel`, and by the run for everything but the model.
 */
import { join, relative, resolve } from 'node:path';
import type { CondenserSpec, LlmConfig, McpConfig } from '@longhand/sdk';
import {
  LLM_FIELDS,
  type LlmKey,
  llmOfSettings,
  llmSetting,
  mergeLlm,
  readVariable,
} from '@longhand/sdk/internal';
import { defined } from '@longhand/sdk/value';
import type { AgentOptions, LimitOptions, ModelOptions, RecordingOptions } from '../flags/table.ts';
import { UsageError } from '../usage-error.ts';
import { type AgentSection, sectionFor } from './agent-sections.ts';
import { type Layer, readConfigFile } from './config-file.ts';
import { LOCAL_FILE } from './foreign-address.ts';
import { userConfigFile } from './home.ts';
import { namedLlm, otherLlms } from './named-models.ts';
import { type TrajectorySettings, trajectoryVariables } from './trajectory-section.ts';
import type { Place } from './v0-sections.ts';

export type Environment = { readonly [name: string]: string | undefined };

export interface Settings {
  readonly llm: Partial<LlmConfig>;
  /** Which layer a setting of `llm` comes from. */
  readonly origin: { readonly [K in LlmKey]?: string };
  readonly maxIterations?: number;
  readonly maxBudgetUsd?: number;
  /** Models for other purposes than the agent's own. */
  readonly llms: { readonly [purpose: string]: LlmConfig };
  readonly condenser?: CondenserSpec;
  /** The servers of the config files; if a name occurs twice, the nearest file's is used. */
  readonly mcp?: McpConfig;
  /** The agent to use if the command line names none. */
  readonly agentName?: string;
  /** `[agent]`, or the `[agent.NAME]` that applies. */
  readonly section: AgentSection;
  /** Where a new conversation works if the command line does not say. */
  readonly place: Place;
  readonly trajectories?: TrajectorySettings;
  readonly warnings: readonly string[];
}

export const COMMAND_LINE = 'the command line';
/** The layer of a profile that a flag names. */
export const PROFILE_FLAG = '--profile';
export const ENVIRONMENT = 'the environment';

/** The flags that are settings. */
export interface Given {
  readonly model?: ModelOptions;
  readonly limits?: Pick<LimitOptions, 'maxIterations' | 'maxBudgetUsd'>;
  readonly agent?: Pick<AgentOptions, 'agent' | 'agentConfig'>;
  /** The profile that the agent's definition names. */
  readonly agentProfile?: string | undefined;
  readonly recording?: Pick<RecordingOptions, 'saveTrajectory' | 'replayTrajectory'>;
}

/** Throws UsageError. */
export async function readSettings(command: Given, env: Environment, cwd: string): Promise<Settings> {
  const files = await Promise.all(configFiles(command, cwd).map((args) => readConfigFile(...args)));
  const found = files.filter((file) => file !== null);
  const fileLayers = found.map((file) => file.layer);
  const base = merge([environmentLayer(env), ...fileLayers]).llm;
  const agentName = environmentName(env) ?? firstOf(fileLayers, 'agentName');
  const { section, left } = sectionFor(command.agent, agentName, fileLayers, env);
  const named = command.model?.profile ?? command.agentProfile ?? section.llmConfig;
  const profile =
    named === undefined
      ? []
      : [{ name: profileOrigin(command, named), llm: namedLlm(named, base, fileLayers) }];
  const merged = merge([flagLayer(command), ...profile, environmentLayer(env), ...fileLayers]);
  const others = otherLlms(merged.llm, fileLayers);
  const condenser = firstOf(fileLayers, 'condenser');
  const { place, ...chosen } = placeOf(fileLayers);
  const stored = trajectoriesOf(fileLayers, cwd);
  // Flags override V0's variables, which override files, the nearest first.
  const trajectories = Object.assign(
    {},
    ...stored.trajectories,
    trajectoryVariables(env),
    defined({ save: command.recording?.saveTrajectory, replay: command.recording?.replayTrajectory }),
  ) as TrajectorySettings;
  return {
    ...defined({
      trajectories: Object.keys(trajectories).length === 0 ? undefined : trajectories,
      agentName,
      condenser,
      mcp: fileLayers.some(({ mcp }) => mcp !== undefined)
        ? Object.assign({}, ...fileLayers.map(({ mcp }) => mcp ?? {}).toReversed())
        : undefined,
    }),
    ...merged,
    llm: mergeLlm(merged.llm, others.own),
    llms: others.purposes,
    section,
    place,
    warnings: [
      ...found.flatMap((file) => file.warnings),
      ...[...chosen.left, ...left, ...stored.left].map(notTaken),
    ],
  };
}

function firstOf<K extends keyof Layer>(layers: readonly Layer[], key: K): Layer[K] | undefined {
  return layers.find((layer) => layer[key] !== undefined)?.[key];
}

/** A repository may contain a config.toml: settings that start programs of its choice are not taken from it. */
function placeOf(layers: readonly Layer[]): { readonly place: Place; readonly left: readonly string[] } {
  const { repo, env, ...local } = layers.find(({ name }) => name === LOCAL_FILE)?.place ?? {};
  const others = layers.flatMap(({ name, place }) => (name === LOCAL_FILE ? [] : (place ?? [])));
  return {
    place: Object.assign({}, ...others.reverse(), local),
    left: [
      ...(repo === undefined ? [] : ['selected_repo']),
      ...(env === undefined ? [] : ['runtime_startup_env_vars']),
    ],
  };
}

/** Nor are actions to carry out, or a place to write to outside the folder. The furthest layer comes first. */
function trajectoriesOf(
  layers: readonly Layer[],
  cwd: string,
): { readonly trajectories: readonly TrajectorySettings[]; readonly left: readonly string[] } {
  const left: string[] = [];
  const trajectories = layers.map(({ name, trajectories = {} }) => {
    if (name !== LOCAL_FILE) return trajectories;
    const { replay, save, ...rest } = trajectories;
    const isInside = save !== undefined && !/^\.\.(\/|$)|^\//.test(relative(cwd, resolve(cwd, save)));
    if (replay !== undefined) left.push('replay_trajectory_path');
    if (save !== undefined && !isInside) left.push('save_trajectory_path');
    return isInside ? { ...rest, save } : rest;
  });
  return { trajectories: trajectories.reverse(), left };
}

function notTaken(key: string): string {
  return `${LOCAL_FILE}: ${key} is not taken from a file that was not named: if you trust it, give --config ${LOCAL_FILE}`;
}

/** V0's variable for the agent. */
function environmentName(env: Environment): string | undefined {
  return env['DEFAULT_AGENT']?.trim() || undefined;
}

function profileOrigin({ model }: Given, name: string): string {
  return model?.profile === undefined ? `the profile ${name}` : PROFILE_FLAG;
}

function configFiles(command: Given, cwd: string): [path: string, shown: string, optional: boolean][] {
  const configFile = command.model?.configFile;
  if (configFile !== undefined) {
    const shown = configFile === LOCAL_FILE ? 'config.toml' : configFile; // it has been named explicitly
    return [[resolve(cwd, configFile), shown, false]];
  }
  return [
    [join(cwd, 'config.toml'), LOCAL_FILE, true],
    [userConfigFile(), '~/.longhand/config.toml', true],
  ];
}

function flagLayer({
  model: { model, baseUrl } = {},
  limits: { maxIterations, maxBudgetUsd } = {},
}: Given): Layer {
  return {
    name: COMMAND_LINE,
    llm: llmOfSettings([
      ['model', model],
      ['base_url', baseUrl],
    ]),
    ...defined({ maxIterations, maxBudgetUsd }),
  };
}

const LLM_KEYS = Object.keys(LLM_FIELDS) as LlmKey[];

/** Every key of `[llm]` by its upper-case name, after `LLM_`. Throws UsageError. */
export function environmentLayer(env: Environment): Layer {
  const settings = LLM_KEYS.map((key): [LlmKey, unknown] => {
    const variable = `LLM_${key.toUpperCase()}`;
    const words = env[variable]?.trim();
    if (words === undefined || words === '') return [key, undefined];
    try {
      return [key, readVariable(LLM_FIELDS[key].kind, words)];
    } catch (error) {
      throw new UsageError(`$${variable} ${(error as Error).message}`);
    }
  });
  return { name: ENVIRONMENT, llm: llmOfSettings(settings), ...limitsIn(env) };
}

/** V0's variables for limits. Throws UsageError. */
function limitsIn(env: Environment): Pick<Layer, 'maxIterations' | 'maxBudgetUsd'> {
  const [maxIterations, maxBudgetUsd] = ['MAX_ITERATIONS', 'MAX_BUDGET_PER_TASK'].map((name) => {
    const words = env[name]?.trim();
    if (words === undefined || words === '') return undefined;
    const number = Number(words);
    if (
      Number.isFinite(number) &&
      number >= 0 &&
      (name !== 'MAX_ITERATIONS' || (Number.isInteger(number) && number > 0))
    )
      return number;
    throw new UsageError(
      `$${name} must be a number${name === 'MAX_ITERATIONS' ? ' of steps, at least 1' : ' of US dollars'}, not "${words}"`,
    );
  });
  return defined({ maxIterations, maxBudgetUsd: maxBudgetUsd || undefined });
}

function merge(
  layers: readonly Layer[],
): Omit<Settings, 'warnings' | 'llms' | 'mcp' | 'trajectories' | 'section' | 'place'> {
  const llm = mergeLlm(...layers.map((layer) => layer.llm));
  const origin = Object.fromEntries(
    LLM_KEYS.flatMap((key): [LlmKey, string][] => {
      const layer = layers.find((each) => llmSetting(each.llm, key) !== undefined);
      return layer === undefined ? [] : [[key, layer.name]];
    }),
  ) as Settings['origin'];
  const maxIterations = layers.find((layer) => layer.maxIterations !== undefined)?.maxIterations;
  const maxBudgetUsd = layers.find((layer) => layer.maxBudgetUsd !== undefined)?.maxBudgetUsd;
  const baseUrl = llm.endpoint?.baseUrl;
  if (baseUrl !== undefined) checkUrl(baseUrl, origin.base_url ?? '');
  return {
    llm,
    origin,
    ...defined({ maxIterations, maxBudgetUsd }),
  };
}

function checkUrl(url: string, origin: string): void {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return;
  throw new UsageError(`the base URL "${url}" (from ${origin}) is not an http or https address`);
}

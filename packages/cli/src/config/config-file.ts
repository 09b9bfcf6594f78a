/**
 * `config.toml`: the sections and keys of OpenHands V0 that mean something here, checked one by one.
 *
 * What is unknown is warned of; what is wrong (syntax, type, value) is a UsageError that names file and line.
 */
import { readFileSync } from 'node:fs';
import {
  type CondenserSpec,
  condenserSpec,
  type Kind,
  LLM_FIELDS,
  type LlmConfig,
  type LlmKey,
  llmOfSettings,
  type McpConfig,
  parseMcpConfig,
  type RoutingRule,
  readSetting,
} from '@longhand/sdk';
import { defined, nearest, ownValue } from '@longhand/sdk/value';
import { fileFault } from '../file-fault.ts';
import { UsageError } from '../usage-error.ts';
import { LOCAL_FILE } from './foreign-address.ts';
import { linesIn } from './toml-lines.ts';
import { isTable, optionalText, type Table } from './toml-values.ts';
import { TRAJECTORY_KEYS, type TrajectorySettings, trajectorySettings } from './trajectory-section.ts';
import {
  type AgentSections,
  agentSections,
  type Place,
  placeIn,
  V0_KEYS,
  V0_UNUSED_KEYS,
} from './v0-sections.ts';

/** What one source of settings says; files, environment and flags all become one of these. */
export interface Layer {
  /** For messages: a path, `environment`, `command line`. */
  readonly name: string;
  readonly llm: Partial<LlmConfig>;
  readonly maxIterations?: number;
  readonly maxBudgetUsd?: number;
  /** `[llm.NAME]`: other models, each on top of `[llm]`. */
  readonly groups?: { readonly [name: string]: Partial<LlmConfig> };
  readonly others?: OtherModels;
  readonly condenser?: CondenserSpec;
  /** `[core] default_agent`. */
  readonly agentName?: string;
  readonly agents?: AgentSections;
  readonly place?: Place;
  /** `[mcp]`: servers by name, or V0's lists. */
  readonly mcp?: McpConfig;
  readonly trajectories?: TrajectorySettings;
}

/** Models by their names: of a profile, a group, or `provider/model`. */
export interface OtherModels {
  /** `[llm] fallback_llms`. */
  readonly fallbacks?: readonly string[];
  /** `[llms]`, and `[condenser] llm_config`: by purpose. */
  readonly purposes?: { readonly [purpose: string]: string };
  readonly routing?: readonly RoutingRule[];
}

export interface ConfigFile {
  readonly layer: Layer;
  readonly warnings: readonly string[];
}

interface Key {
  readonly kind: Kind;
}

const CORE_KEYS: { readonly [key: string]: Key } = {
  max_iterations: { kind: 'whole number' },
  max_budget_per_task: { kind: 'number' },
};

/** Of OpenHands V0; known, so that they are not taken for mistakes, but without effect here. */
const UNUSED_SECTIONS = 'security kubernetes extended'.split(' ');
/** Of these only what says which model is used. */
const MODEL_SECTIONS = 'condenser model_routing llms'.split(' ');
const UNUSED_KEYS: { readonly [section: string]: readonly string[] } = {
  ...V0_UNUSED_KEYS,
  core: `runtime workspace_mount_path_in_sandbox workspace_mount_path workspace_mount_rewrite
    file_store file_store_path search_api_key
    enable_browser cache_dir run_as_openhands init_git_in_empty_workspace disable_color debug jwt_secret cli_multiline_input
    enable_default_condenser mcp_host git_user_name git_user_email conversation_max_age_seconds
    max_concurrent_conversations client_wait_timeout`.split(/\s+/),
  llm: `max_message_chars custom_llm_provider ollama_base_url drop_params modify_params custom_tokenizer safety_settings
    for_routing correct_num completion_kwargs`.split(/\s+/),
};

const SECTIONS: { readonly [section: string]: { readonly [key: string]: Key } } = {
  core: CORE_KEYS,
  llm: LLM_FIELDS,
  // Read by v0-sections.ts.
  agent: {},
  sandbox: {},
};
const READ_ELSEWHERE: { readonly [section: string]: readonly string[] } = {
  ...V0_KEYS,
  core: [...V0_KEYS.core, 'default_agent', ...TRAJECTORY_KEYS],
  llm: ['fallback_llms'],
};
const KNOWN_SECTIONS = [...Object.keys(SECTIONS), ...MODEL_SECTIONS, ...UNUSED_SECTIONS, 'mcp'];
const MAX_BYTES = 1024 * 1024;

/** Null if there is no such file, or if `optional` and nothing in it is meant for us. Throws UsageError. */
export async function readConfigFile(
  path: string,
  shown: string,
  optional: boolean,
): Promise<ConfigFile | null> {
  const source = readSource(path, shown, optional);
  if (source === null) return null;
  const table = await parse(source, shown);
  if (optional && !isOurs(table)) return null;
  return interpret(table, source, shown, !optional);
}

function readSource(path: string, shown: string, optional: boolean): string | null {
  try {
    const bytes = readFileSync(path);
    if (bytes.length > MAX_BYTES)
      throw new UsageError(`${shown}: ${bytes.length} bytes are too many for a config file`);
    return bytes.toString('utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (optional && (code === 'ENOENT' || code === 'ENOTDIR')) return null;
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${shown} cannot be read: ${fileFault(error)}`);
  }
}

async function parse(source: string, shown: string): Promise<Table> {
  const { parse: parseToml, TomlError } = await import('smol-toml');
  try {
    return parseToml(source);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [what] = error.message.replace('Invalid TOML document: ', '').split('\n');
    throw new UsageError(`${shown}:${error.line}:${error.column}: not valid TOML: ${what}`);
  }
}

/** Hugo and others have a config.toml too. */
function isOurs(table: Table): boolean {
  return Object.keys(table).some(
    (name) => KNOWN_SECTIONS.includes(name) || nearest(name, Object.keys(SECTIONS)) !== undefined,
  );
}

function interpret(table: Table, source: string, shown: string, isNamed: boolean): ConfigFile {
  const lineOf = linesIn(source);
  const values: { [key: string]: unknown } = {};
  const warnings: string[] = [];
  const unused: string[] = [];
  const groups: { [name: string]: Partial<LlmConfig> } = {};
  const { mcp: servers = {}, ...sections } = table;
  const mcp = mcpServers(servers, `${shown}${lineOf('mcp')}`, isNamed || shown !== LOCAL_FILE, warnings);
  for (const [section, content] of Object.entries(sections)) {
    const keys = ownValue(SECTIONS, section);
    const place = (key?: string) => `${shown}${lineOf(section, key)}`;
    if (section === 'security') refuseConfirmation(content, place('confirmation_mode'));
    if (UNUSED_SECTIONS.includes(section)) unused.push(`[${section}]`);
    else if (MODEL_SECTIONS.includes(section)) unused.push(...unusedIn(section, content));
    else if (keys === undefined)
      warnings.push(`${place()}: unknown section [${section}]${hint(section, KNOWN_SECTIONS)}`);
    else if (!isTable(content))
      throw new UsageError(`${place()}: "${section}" is a section: write [${section}]`);
    else {
      for (const [name, value] of Object.entries(content)) {
        const key = ownValue(keys, name);
        if (READ_ELSEWHERE[section]?.includes(name) || (section === 'agent' && isTable(value))) continue;
        if (key !== undefined) values[name] = readValue(name, key, value, `${place(name)}: ${name}`);
        else if (section === 'llm' && isTable(value)) groups[name] = group(value, `${shown}: [llm.${name}]`);
        else if (UNUSED_KEYS[section]?.includes(name)) unused.push(`[${section}] ${name}`);
        else
          warnings.push(
            `${place(name)}: unknown key "${name}" in [${section}]${hint(name, [...Object.keys(keys), ...(READ_ELSEWHERE[section] ?? [])])}`,
          );
      }
    }
  }
  if (unused.length > 0) warnings.push(`${shown}: without effect here: ${unused.join(', ')}`);
  const { max_iterations: maxIterations, max_budget_per_task: maxBudgetUsd, ...llm } = values;
  const others = otherModels(table, shown);
  const agents = agentSections(table, shown);
  const place = placeIn(table, shown);
  const agentName = optionalText(
    isTable(table['core']) ? table['core']['default_agent'] : undefined,
    `${shown}: [core] default_agent`,
  );
  const trajectories = trajectorySettings(table['core'], `${shown}: [core]`);
  const section = table['condenser'];
  const condenser = isTable(section) ? condenserIn(section, `${shown}: [condenser]`) : undefined;
  const layer = {
    name: shown,
    llm: llmOfSettings(Object.entries(llm) as [LlmKey, unknown][]),
    ...limits(maxIterations, maxBudgetUsd),
    ...(Object.keys(groups).length === 0 ? {} : { groups }),
    ...(Object.keys(others).length === 0 ? {} : { others }),
    ...defined({ condenser, agentName, agents }),
    ...(Object.keys(place).length === 0 ? {} : { place }),
    ...(Object.keys(mcp).length === 0 ? {} : { mcp }),
    ...defined({ trajectories }),
  };
  return { layer, warnings };
}

/** Those of a file that nobody has named are not started. Throws UsageError. */
function mcpServers(content: unknown, place: string, isTrusted: boolean, warnings: string[]): McpConfig {
  try {
    const found = parseMcpConfig(content);
    if (isTrusted || Object.keys(found).length === 0) return found;
    warnings.push(`${place}: its MCP servers are not started: --config ${LOCAL_FILE} starts them`);
    return {};
  } catch (error) {
    throw new UsageError(`${place}: [mcp] ${(error as Error).message}`);
  }
}

function group(table: Table, place: string): Partial<LlmConfig> {
  const settings = Object.entries(table).flatMap(([name, value]): [LlmKey, unknown][] => {
    const key: Key | undefined = ownValue<Key>(LLM_FIELDS, name);
    return key === undefined ? [] : [[name as LlmKey, readValue(name, key, value, `${place} ${name}`)]];
  });
  return llmOfSettings(settings);
}

const USED_KEYS: { readonly [section: string]: readonly string[] } = {
  model_routing: ['router_name', 'rules'],
};

function unusedIn(section: string, content: unknown): string[] {
  const used = USED_KEYS[section];
  if (used === undefined || !isTable(content)) return [];
  return Object.keys(content)
    .filter((name) => !used.includes(name))
    .map((name) => `[${section}] ${name}`);
}

/** Throws UsageError. */
function otherModels(table: Table, shown: string): OtherModels {
  const section = (name: string): Table => {
    const content = table[name];
    return isTable(content) ? content : {};
  };
  const condenser = optionalText(section('condenser')['llm_config'], `${shown}: [condenser] llm_config`);
  const named = Object.entries(section('llms')).map(([purpose, name]) => [
    purpose,
    optionalText(name, `${shown}: [llms] ${purpose}`) ?? '',
  ]);
  const purposes = { ...defined({ condenser }), ...Object.fromEntries(named) };
  const fallbacks = section('llm')['fallback_llms'];
  if (fallbacks !== undefined && !isListOfTexts(fallbacks))
    throw new UsageError(`${shown}: [llm] fallback_llms must be a list of names`);
  const routing = routingRules(section('model_routing'), shown);
  return {
    ...defined({ fallbacks }),
    ...(Object.keys(purposes).length === 0 ? {} : { purposes }),
    ...defined({ routing }),
  };
}

/** V0's `multimodal_router`: the primary model for images, else `[llm.secondary_model]`. */
const MULTIMODAL: readonly RoutingRule[] = [{ hasImage: true, use: 'primary' }, { use: 'secondary_model' }];

function routingRules(section: Table, shown: string): readonly RoutingRule[] | undefined {
  const { router_name: router, rules } = section;
  if (rules !== undefined) return readRules(rules, `${shown}: [model_routing] rules`);
  if (router === undefined || router === 'noop_router') return undefined;
  if (router === 'multimodal_router') return MULTIMODAL;
  throw new UsageError(
    `${shown}: [model_routing] router_name is noop_router or multimodal_router; or give rules`,
  );
}

function readRules(rules: unknown, place: string): readonly RoutingRule[] {
  const wrong = `${place} must be a list of tables with use, and any of has_image, first_turn (true or false), min_prompt_tokens (a number)`;
  if (!Array.isArray(rules)) throw new UsageError(wrong);
  return rules.map((rule: unknown) => {
    if (!isTable(rule) || typeof rule['use'] !== 'string') throw new UsageError(wrong);
    const { use, has_image: image, first_turn: first, min_prompt_tokens: tokens, ...rest } = rule;
    const fits =
      ['boolean', 'undefined'].includes(typeof image) &&
      ['boolean', 'undefined'].includes(typeof first) &&
      ['number', 'undefined'].includes(typeof tokens) &&
      Object.keys(rest).length === 0;
    if (!fits) throw new UsageError(wrong);
    return {
      use: use as string,
      ...(image === undefined ? {} : { hasImage: image as boolean }),
      ...(first === undefined ? {} : { isFirstTurn: first as boolean }),
      ...(tokens === undefined ? {} : { minPromptTokens: tokens as number }),
    };
  });
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string' && each !== '');
}

function limits(
  maxIterations: unknown,
  maxBudgetUsd: unknown,
): Pick<Layer, 'maxIterations' | 'maxBudgetUsd'> {
  return {
    ...(typeof maxIterations === 'number' ? { maxIterations } : {}),
    // V0 takes a budget of 0 for none.
    ...(typeof maxBudgetUsd === 'number' && maxBudgetUsd > 0 ? { maxBudgetUsd } : {}),
  };
}

/** Running without asking where asking was wanted would be worse than not running. */
function refuseConfirmation(content: unknown, place: string): void {
  if (!isTable(content) || content['confirmation_mode'] !== true) return;
  throw new UsageError(
    `${place}: confirmation_mode = true wants a person to agree to each action, which this command cannot ask for yet; set it to false to let the agent act by itself`,
  );
}

/** The checked value; undefined for an empty text. Throws UsageError, which never shows a text's value. */
function readValue(name: string, { kind }: Key, value: unknown, place: string): unknown {
  try {
    if (name === 'max_iterations' && value === 0)
      throw new TypeError('must be a whole number above 0, not 0');
    return readSetting(kind, value);
  } catch (error) {
    throw new UsageError(`${place} ${(error as Error).message}`);
  }
}

function hint(word: string, names: readonly string[]): string {
  const near = nearest(word, names);
  return near === undefined ? '' : `; did you mean ${names === KNOWN_SECTIONS ? `[${near}]` : `"${near}"`}?`;
}

function condenserIn(section: Table, place: string): CondenserSpec | undefined {
  try {
    return condenserSpec(section, place);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

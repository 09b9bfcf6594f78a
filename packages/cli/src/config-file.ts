/**
 * `config.toml`: the sections and keys of OpenHands V0 that mean something here, checked one by one.
 *
 * What is unknown is warned of; what is wrong (syntax, type, value) is a UsageError that names file and line.
 */
import { readFileSync } from 'node:fs';
import type { LlmConfig } from '@longhand/sdk';
import { nearest } from '@longhand/sdk/nearest';
import { UsageError } from './usage-error.ts';

/** What one source of settings says; files, environment and flags all become one of these. */
export interface Layer {
  /** For messages: a path, `environment`, `command line`. */
  readonly name: string;
  readonly llm: Partial<LlmConfig>;
  readonly maxIterations?: number;
  readonly maxBudgetUsd?: number;
}

export interface ConfigFile {
  readonly layer: Layer;
  readonly warnings: readonly string[];
}

type Kind = 'text' | 'whole number' | 'number' | 'number of seconds' | readonly string[];

interface Key {
  readonly field: keyof LlmConfig | 'maxIterations' | 'maxBudgetUsd';
  readonly kind: Kind;
}

export const LLM_KEYS: { readonly [key: string]: Key } = {
  model: { field: 'model', kind: 'text' },
  api_key: { field: 'apiKey', kind: 'text' },
  base_url: { field: 'baseUrl', kind: 'text' },
  api_mode: { field: 'apiMode', kind: ['auto', 'chat', 'responses'] },
  temperature: { field: 'temperature', kind: 'number' },
  top_p: { field: 'topP', kind: 'number' },
  max_input_tokens: { field: 'maxInputTokens', kind: 'whole number' },
  max_output_tokens: { field: 'maxOutputTokens', kind: 'whole number' },
  reasoning_effort: { field: 'reasoningEffort', kind: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] },
  num_retries: { field: 'numRetries', kind: 'whole number' },
  retry_min_wait: { field: 'retryMinWaitMs', kind: 'number of seconds' },
  retry_max_wait: { field: 'retryMaxWaitMs', kind: 'number of seconds' },
  timeout: { field: 'timeoutMs', kind: 'number of seconds' },
  input_cost_per_token: { field: 'inputCostPerToken', kind: 'number' },
  output_cost_per_token: { field: 'outputCostPerToken', kind: 'number' },
};

const CORE_KEYS: { readonly [key: string]: Key } = {
  max_iterations: { field: 'maxIterations', kind: 'whole number' },
  max_budget_per_task: { field: 'maxBudgetUsd', kind: 'number' },
};

/** Of OpenHands V0; known, so that they are not taken for mistakes, but without effect here. */
const UNUSED_SECTIONS = 'agent sandbox security condenser mcp kubernetes model_routing extended'.split(' ');
const UNUSED_KEYS: { readonly [section: string]: readonly string[] } = {
  core: `default_agent runtime workspace_base workspace_mount_path_in_sandbox workspace_mount_path workspace_mount_rewrite
    file_store file_store_path save_trajectory_path save_screenshots_in_trajectory replay_trajectory_path search_api_key
    enable_browser cache_dir run_as_openhands init_git_in_empty_workspace disable_color debug jwt_secret cli_multiline_input
    enable_default_condenser mcp_host git_user_name git_user_email conversation_max_age_seconds
    max_concurrent_conversations client_wait_timeout`.split(/\s+/),
  llm: `api_version aws_access_key_id aws_secret_access_key aws_region_name openrouter_site_url openrouter_app_name
    retry_multiplier max_message_chars top_k custom_llm_provider ollama_base_url drop_params modify_params disable_vision
    disable_stop_word caching_prompt log_completions log_completions_folder custom_tokenizer native_tool_calling seed
    safety_settings for_routing correct_num completion_kwargs`.split(/\s+/),
};

const SECTIONS: { readonly [section: string]: { readonly [key: string]: Key } } = {
  core: CORE_KEYS,
  llm: LLM_KEYS,
};
const KNOWN_SECTIONS = [...Object.keys(SECTIONS), ...UNUSED_SECTIONS];
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
  return interpret(table, source, shown);
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
    const why: { readonly [code: string]: string } = {
      ENOENT: 'there is no such file',
      EISDIR: 'it is a directory',
      EACCES: 'permission denied',
    };
    throw new UsageError(`${shown} cannot be read: ${why[code ?? ''] ?? (error as Error).message}`);
  }
}

type Table = { readonly [key: string]: unknown };

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

function interpret(table: Table, source: string, shown: string): ConfigFile {
  const values: { [field: string]: unknown } = {};
  const warnings: string[] = [];
  const unused: string[] = [];
  for (const [section, content] of Object.entries(table)) {
    const keys = Object.hasOwn(SECTIONS, section) ? SECTIONS[section] : undefined;
    const place = (key?: string) => `${shown}${lineSuffix(source, section, key)}`;
    if (section === 'security') refuseConfirmation(content, place('confirmation_mode'));
    if (UNUSED_SECTIONS.includes(section)) unused.push(`[${section}]`);
    else if (keys === undefined)
      warnings.push(`${place()}: unknown section [${section}]${hint(section, KNOWN_SECTIONS)}`);
    else if (!isTable(content))
      throw new UsageError(`${place()}: "${section}" is a section: write [${section}]`);
    else {
      for (const [name, value] of Object.entries(content)) {
        const key = Object.hasOwn(keys, name) ? keys[name] : undefined;
        if (key !== undefined) Object.assign(values, readValue(key, value, `${place(name)}: ${name}`));
        else if (UNUSED_KEYS[section]?.includes(name) || isTable(value)) unused.push(`[${section}] ${name}`);
        else
          warnings.push(
            `${place(name)}: unknown key "${name}" in [${section}]${hint(name, Object.keys(keys))}`,
          );
      }
    }
  }
  if (unused.length > 0) warnings.push(`${shown}: without effect here: ${unused.join(', ')}`);
  const { maxIterations, maxBudgetUsd, ...llm } = values;
  return { layer: { name: shown, llm, ...limits(maxIterations, maxBudgetUsd) }, warnings };
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

/** The checked value under its field; nothing for an empty text. Throws UsageError, which never shows a text's value. */
export function readValue(key: Key, value: unknown, place: string): { readonly [field: string]: unknown } {
  const wrong = (found: string) => new UsageError(`${place} must be ${expected(key.kind)}, not ${found}`);
  if (typeof key.kind === 'object' || key.kind === 'text') {
    if (typeof value !== 'string') throw wrong(typeName(value));
    if (value === '') return {};
    if (typeof key.kind === 'object' && !key.kind.includes(value)) throw wrong(`"${value}"`);
    return { [key.field]: value };
  }
  if (typeof value !== 'number') throw wrong(typeName(value));
  const least = key.field === 'maxIterations' ? 1 : 0;
  if (!(value >= least) || (key.kind === 'whole number' && !Number.isInteger(value)))
    throw wrong(String(value));
  return { [key.field]: key.kind === 'number of seconds' ? value * 1000 : value };
}

function expected(kind: Kind): string {
  return typeof kind === 'string'
    ? kind === 'text'
      ? 'text in quotes'
      : `a ${kind}`
    : `one of ${kind.join(', ')}`;
}

function typeName(value: unknown): string {
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'number' ? String(value) : 'a table or date';
}

function hint(word: string, names: readonly string[]): string {
  const near = nearest(word, names);
  return near === undefined ? '' : `; did you mean ${names === KNOWN_SECTIONS ? `[${near}]` : `"${near}"`}?`;
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** `:LINE` of a key, or of its section; nothing if it is spelled in a way that is not looked for. */
function lineSuffix(source: string, section: string, key?: string): string {
  const name = (word: string) => `["']?${word.replace(/[^\w-]/g, '\\$&')}["']?`;
  const header = new RegExp(`^\\s*\\[\\s*${name(section)}\\s*\\]`);
  const inSection = key === undefined ? null : new RegExp(`^\\s*${name(key)}\\s*[=.]`);
  const dotted = new RegExp(
    `^\\s*${name(section)}\\s*${key === undefined ? '[=.]' : `\\.\\s*${name(key)}\\s*[=.]`}`,
  );
  let current = false;
  let sectionLine = 0;
  for (const [i, line] of source.split('\n').entries()) {
    if (/^\s*\[/.test(line)) {
      current = header.test(line);
      if (current) sectionLine = i + 1;
    }
    if (current ? inSection?.test(line) : dotted.test(line)) return `:${i + 1}`;
  }
  return sectionLine === 0 ? '' : `:${sectionLine}`;
}

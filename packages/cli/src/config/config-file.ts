/**
 * Reads `config.toml`. Unknown names cause warnings; wrong syntax, types and values are UsageErrors that name file and line. The sections
 * and keys are in sections.ts.
 */
import { readFileSync } from 'node:fs';
import { type CondenserSpec, type LlmConfig, type McpConfig, parseMcpConfig } from '@longhand/sdk';
import { condenserSpec, type LlmKey, llmOfSettings } from '@longhand/sdk/internal';
import { defined } from '@longhand/sdk/value';
import { fileFault } from '../file-fault.ts';
import { UsageError } from '../usage-error.ts';
import { type AgentSections, agentSections } from './agent-sections.ts';
import { LOCAL_FILE } from './foreign-address.ts';
import { ignoredRouting, type OtherModels, otherModels } from './model-sections.ts';
import { hasOurSections, readSections, type SectionValues } from './read-sections.ts';
import { linesIn } from './toml-lines.ts';
import { isTable, type Table } from './toml-values.ts';
import { type TrajectorySettings, trajectorySettings } from './trajectory-section.ts';
import { type Place, placeIn } from './v0-sections.ts';

/** The settings of one source: a file, the environment or the flags. */
export interface Layer {
  /** For messages: a path, `environment`, `command line`. */
  readonly name: string;
  readonly llm: Partial<LlmConfig>;
  readonly maxIterations?: number | undefined;
  readonly maxBudgetUsd?: number | undefined;
  /** `[llm.NAME]`: other models, each with what differs from `[llm]`. */
  readonly groups?: { readonly [name: string]: Partial<LlmConfig> } | undefined;
  readonly others?: OtherModels | undefined;
  readonly condenser?: CondenserSpec | undefined;
  /** `[core] default_agent`. */
  readonly agentName?: string | undefined;
  readonly agents?: AgentSections | undefined;
  readonly place?: Place | undefined;
  /** `[mcp]`: servers by name, or V0's lists. */
  readonly mcp?: McpConfig | undefined;
  readonly trajectories?: TrajectorySettings | undefined;
}

export interface ConfigFile {
  readonly layer: Layer;
  readonly warnings: readonly string[];
}

const MAX_BYTES = 1024 * 1024;

/** Null if there is no such file, or if it is `optional` and has no section of ours. Throws UsageError. */
export async function readConfigFile(
  path: string,
  shown: string,
  optional: boolean,
): Promise<ConfigFile | null> {
  const source = readSource(path, shown, optional);
  if (source === null) return null;
  const table = await parse(source, shown);
  if (optional && !hasOurSections(table)) return null;
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

function interpret(table: Table, source: string, shown: string, isNamed: boolean): ConfigFile {
  const { values, groups, warnings: slips, ignored } = readSections(table, source, shown);
  const lineOf = linesIn(source);
  refuseConfirmation(table['security'], `${shown}${lineOf('security', 'confirmation_mode')}`);
  const warnings = [...slips];
  const mcp = mcpServers(
    table['mcp'] ?? {},
    `${shown}${lineOf('mcp')}`,
    isNamed || shown !== LOCAL_FILE,
    warnings,
  );
  const unused = [...ignored, ...ignoredRouting(table['model_routing'])];
  if (unused.length > 0) warnings.push(`${shown}: without effect here: ${unused.join(', ')}`);
  const { fallback_llms: fallbacks, ...llm } = values.llm;
  const { condenser } = table;
  const layer = defined({
    name: shown,
    llm: llmOf(llm),
    maxIterations: values.core.max_iterations,
    // In V0 a budget of 0 means none.
    maxBudgetUsd: values.core.max_budget_per_task || undefined,
    groups: filled(
      Object.fromEntries(Object.entries(groups.llm).map(([name, group]) => [name, llmOf(group)])),
    ),
    others: otherModels(table, fallbacks, shown),
    condenser: isTable(condenser) ? condenserIn(condenser, `${shown}: [condenser]`) : undefined,
    agentName: values.core.default_agent,
    agents: isTable(table['agent']) ? agentSections(values.agent, groups.agent) : undefined,
    place: filled(placeIn(values.core, values.sandbox, `${shown}${lineOf('sandbox', 'volumes')}: volumes`)),
    mcp: filled(mcp),
    trajectories: filled(trajectorySettings(values.core)),
  });
  return { layer, warnings };
}

function llmOf({ fallback_llms: _, ...settings }: SectionValues['llm']): Partial<LlmConfig> {
  return llmOfSettings(Object.entries(settings) as [LlmKey, unknown][]);
}

/** Undefined for an object without members. */
function filled<T extends object>(value: T): T | undefined {
  return Object.keys(value).length === 0 ? undefined : value;
}

/** The servers of an untrusted file are not started. Throws UsageError. */
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

/** Refusing to run is safer than running without the confirmation that was asked for. */
function refuseConfirmation(content: unknown, place: string): void {
  if (!isTable(content) || content['confirmation_mode'] !== true) return;
  throw new UsageError(
    `${place}: confirmation_mode = true requires a person to confirm each action, which this command does not support yet; set it to false to let the agent act on its own`,
  );
}

function condenserIn(section: Table, place: string): CondenserSpec | undefined {
  try {
    return condenserSpec(section, place);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

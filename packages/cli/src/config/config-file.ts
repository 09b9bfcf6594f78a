/**
 * `config.toml`: the sections and keys of OpenHands V0 that mean something here, checked one by one.
 *
 * What is unknown is warned of; what is wrong (syntax, type, value) is a UsageError that names file and line.
 */
import { readFileSync } from 'node:fs';
import { type CondenserSpec, type LlmConfig, type McpConfig, parseMcpConfig } from '@longhand/sdk';
import { condenserSpec, type LlmKey, llmOfSettings } from '@longhand/sdk/internal';
import { defined } from '@longhand/sdk/value';
import { fileFault } from '../file-fault.ts';
import { UsageError } from '../usage-error.ts';
import { LOCAL_FILE } from './foreign-address.ts';
import { ignoredRouting, type OtherModels, otherModels } from './model-sections.ts';
import { hasOurSections, readSections, type SectionValues } from './read-sections.ts';
import { linesIn } from './toml-lines.ts';
import { isTable, type Table } from './toml-values.ts';
import { type TrajectorySettings, trajectorySettings } from './trajectory-section.ts';
import { type AgentSections, agentSections, type Place, placeIn } from './v0-sections.ts';

/** What one source of settings says; files, environment and flags all become one of these. */
export interface Layer {
  /** For messages: a path, `environment`, `command line`. */
  readonly name: string;
  readonly llm: Partial<LlmConfig>;
  readonly maxIterations?: number | undefined;
  readonly maxBudgetUsd?: number | undefined;
  /** `[llm.NAME]`: other models, each on top of `[llm]`. */
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

/** Null if there is no such file, or if `optional` and nothing in it is meant for us. Throws UsageError. */
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
    // V0 takes a budget of 0 for none.
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

/** Undefined for what holds nothing. */
function filled<T extends object>(value: T): T | undefined {
  return Object.keys(value).length === 0 ? undefined : value;
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

/** Running without asking where asking was wanted would be worse than not running. */
function refuseConfirmation(content: unknown, place: string): void {
  if (!isTable(content) || content['confirmation_mode'] !== true) return;
  throw new UsageError(
    `${place}: confirmation_mode = true wants a person to agree to each action, which this command cannot ask for yet; set it to false to let the agent act by itself`,
  );
}

function condenserIn(section: Table, place: string): CondenserSpec | undefined {
  try {
    return condenserSpec(section, place);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

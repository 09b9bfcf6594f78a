/**
 * Named agents: what `--agent` selects, and what another agent delegates to. Defined in code, or in a Markdown file whose front matter
 * lists what it may use and whose body is its instructions (reference: SDK 1.43, section 11.3).
 */

import { posix } from 'node:path';
import { parseDocument, wordList } from '../context/frontmatter.ts';
import { firstOfEachName } from '../context/load-skills.ts';
import { type McpConfig, parseMcpConfig } from '../context/mcp-config.ts';
import { type Files, readText } from '../context/read-text.ts';
import type { ConfirmationPolicy } from '../security/confirmation.ts';
import type { ToolFactory } from '../tool/tool.ts';
import { defined } from '../value/defined.ts';
import { isRecord } from '../value/is-record.ts';
import { ownValue } from '../value/own-value.ts';
import type { CondenserSpec } from '../view/condensers/spec.ts';
import { condenserSpec } from '../view/condensers/spec-from-table.ts';
import type { Agent, ToolSpec } from './agent.ts';

/** A named agent: what `--agent` selects, and what another agent delegates to. */
export interface AgentDefinition {
  /** Lower-case letters, digits and hyphens. */
  readonly name: string;
  /** When to use it; other agents read this. */
  readonly description: string;
  /** The file from which it was read; absent if it was defined in code. */
  readonly source?: string;
  /** Default: those of the delegating agent. */
  readonly tools?: readonly ToolSpec[];
  /** Added to the system prompt. */
  readonly instructions?: string;
  /** A stored profile. Default: the model of the delegating agent. */
  readonly model?: string;
  /** Names of the only skills that it has. */
  readonly skills?: readonly string[];
  /** Default: those of the delegating agent, unless `tools` lists everything that it may use. */
  readonly mcpServers?: McpConfig;
  readonly hooks?: unknown;
  readonly confirmation?: ConfirmationPolicy;
  readonly maxIterations?: number;
  readonly maxBudgetUsd?: number;
  readonly condenser?: CondenserSpec;
  /** Whether the agent is told to continue when it speaks to a user who is absent; a flag or setting overrides it. Default false. */
  readonly autoContinue?: boolean;
  /** Only users can select it, not other agents. */
  readonly isForUsers?: boolean;
}

const NAME = /^[A-Za-z0-9]+([-_][A-Za-z0-9]+)*$/;

const POLICIES: { readonly [mode: string]: ConfirmationPolicy } = {
  always_confirm: { kind: 'AlwaysConfirm' },
  never_confirm: { kind: 'NeverConfirm' },
  confirm_risky: { threshold: 'HIGH', confirm_unknown: true, kind: 'ConfirmRisky' },
};

/** Throws SyntaxError or TypeError that says what is wrong in the file, and where. */
export async function parseAgentDefinition(path: string, source: string): Promise<AgentDefinition> {
  const { attributes, body } = await parseDocument(source);
  const name = word(attributes, 'name') ?? posix.basename(path).replace(/\.md$/i, '');
  if (!NAME.test(name)) throw new TypeError(`its name "${name}" must be letters, digits and hyphens`);
  const tools = words(attributes, 'tools');
  const skills = words(attributes, 'skills');
  const model = word(attributes, 'model');
  const servers = attributes['mcp_servers'] ?? attributes['mcp_config'];
  const confirmation = policy(word(attributes, 'permission_mode'));
  const maxIterations = amount(attributes, 'max_iteration_per_run');
  const maxBudgetUsd = amount(attributes, 'max_budget_per_run');
  const condenser = condenserOf(attributes['condenser']);
  return {
    name,
    description: word(attributes, 'description') ?? `The agent that ${path} describes.`,
    source: path,
    ...(body.trim() === '' ? {} : { instructions: body.trim() }),
    ...(tools === undefined ? {} : { tools: tools.map((tool) => ({ name: tool, params: {} })) }),
    ...defined({ skills }),
    ...(model === undefined || model === 'inherit' ? {} : { model }),
    ...(servers === undefined || servers === null ? {} : { mcpServers: parseMcpConfig(servers) }),
    ...defined({ hooks: attributes['hooks'], confirmation, maxIterations, maxBudgetUsd, condenser }),
  };
}

/** The folders in which agents are looked up, the one with precedence first. */
const FOLDERS = ['.longhand/agents', '.agents/agents', '.openhands/agents'];

/** Loads the agents of a project or of a user. A file that cannot be parsed is skipped with a warning that names it. */
export async function loadAgentDefinitions(
  files: Files,
  root: string,
  warn: (text: string) => void,
): Promise<AgentDefinition[]> {
  const found = await Promise.all(
    FOLDERS.map((folder) => definitionsIn(files, posix.join(root, folder), warn)),
  );
  return firstOfEachName(found.flat());
}

/** The Markdown files of one folder, except its README. */
export async function definitionsIn(
  files: Files,
  folder: string,
  warn: (text: string) => void,
): Promise<AgentDefinition[]> {
  const entries = await files.list(folder).catch(() => []); // most have none
  const names = entries
    .filter(({ name, type }) => type === 'file' && /\.md$/i.test(name) && !/^readme\.md$/i.test(name))
    .map(({ name }) => name)
    .toSorted();
  const parsed = await Promise.all(
    names.map(async (name): Promise<AgentDefinition[]> => {
      const path = posix.join(folder, name);
      try {
        return [await parseAgentDefinition(path, await readText(files, path))];
      } catch (error) {
        warn(`the agent ${path} is left out: ${(error as Error).message}`);
        return [];
      }
    }),
  );
  return parsed.flat();
}

/** Applies a definition to a specification; `registry` says which tools every agent has. */
export function specialise(
  { mcpConfig, ...agent }: Agent,
  definition: AgentDefinition,
  registry: readonly ToolFactory[],
): Agent {
  const { instructions, skills, condenser } = definition;
  const servers = definition.mcpServers ?? (definition.tools === undefined ? mcpConfig : undefined);
  const { systemMessageSuffix, ...context } = agent.context ?? {};
  const suffix = [systemMessageSuffix, instructions].filter((each) => each !== undefined).join('\n\n');
  return {
    ...agent,
    name: definition.name,
    ...(definition.tools === undefined ? {} : { tools: withEssentials(definition.tools, registry) }),
    ...defined({ condenser, mcpConfig: servers }),
    context: {
      ...context,
      ...(suffix === '' ? {} : { systemMessageSuffix: suffix }),
      ...defined({ onlySkills: skills }),
    },
  };
}

function withEssentials(tools: readonly ToolSpec[], registry: readonly ToolFactory[]): readonly ToolSpec[] {
  const missing = registry.filter(
    ({ name, isEssential }) => isEssential === true && !tools.some((tool) => tool.name === name),
  );
  return [...tools, ...missing.map(({ name }) => ({ name, params: {} }))];
}

function policy(mode: string | undefined): ConfirmationPolicy | undefined {
  if (mode === undefined) return undefined;
  const found = ownValue(POLICIES, mode);
  if (found === undefined)
    throw new TypeError(`permission_mode is one of ${Object.keys(POLICIES).join(', ')}, not "${mode}"`);
  return found;
}

function condenserOf(value: unknown): CondenserSpec | undefined {
  if (value === undefined || value === null || value === 'default') return undefined;
  if (value === false || value === 'none' || value === 'off') return { type: 'noop' };
  const spec = condenserSpec(isRecord(value) ? value : { type: value }, 'condenser:');
  if (spec === undefined) throw new TypeError('condenser must be none, default, or name its type');
  return spec;
}

function word(attributes: { readonly [key: string]: unknown }, key: string): string | undefined {
  const value = attributes[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' || value.trim() === '') throw new TypeError(`${key} must be a text`);
  return value.trim();
}

function words(attributes: { readonly [key: string]: unknown }, key: string): string[] | undefined {
  const value = attributes[key];
  if (value === undefined || value === null) return undefined;
  const list = wordList(value);
  if (list === undefined) throw new TypeError(`${key} must be a list of words`);
  return list;
}

function amount(attributes: { readonly [key: string]: unknown }, key: string): number | undefined {
  const value = attributes[key];
  if (value === undefined || value === null) return undefined;
  const number = typeof value === 'string' ? Number(value) : value;
  if (typeof number !== 'number' || !(number > 0)) throw new TypeError(`${key} must be a number above 0`);
  return number;
}

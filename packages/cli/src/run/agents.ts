/** The agents that can be chosen by name: those of plugins, of the project and of the user, and the built-in ones. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import {
  type AgentDefinition,
  type HookConfig,
  loadAgentDefinitions,
  openLocalWorkspace,
  parseHookConfig,
} from '@longhand/sdk';
import { definitionsIn, firstOfEachName, type Plugin } from '@longhand/sdk/internal';
import { nearest } from '@longhand/sdk/value';
import { agentMeant, builtinAgents, builtinTools, DEFAULT_AGENT, fromClaude } from '@longhand/tools';
import { type Given, readSettings, type Settings } from '../config/config.ts';
import { configDirectory } from '../config/home.ts';
import { UsageError } from '../usage-error.ts';

const TOOL_NAMES = builtinTools.map(({ name }) => name);

/** The first of each name wins; the default agent is always ours. */
export async function knownAgents(
  workingDir: string,
  plugins: readonly Plugin[],
  warn: (text: string) => void,
): Promise<readonly AgentDefinition[]> {
  const home = homedir();
  const [project, user, own, ...brought] = await Promise.all([
    definitionsOf(workingDir, warn),
    workingDir === home ? [] : definitionsOf(home, warn),
    ownDefinitions(home, warn),
    ...plugins.map(({ directory }) =>
      definitionsIn(openLocalWorkspace(directory), `${directory}/agents`, warn),
    ),
  ]);
  return firstOfEachName([
    DEFAULT_AGENT,
    ...brought.flat().map(fromClaude),
    ...project.map((each) => withoutPrograms(each, warn)),
    ...own,
    ...user,
    ...builtinAgents,
  ]);
}

/** Those in the folder of the user's settings, if that is not in the usual place. */
async function ownDefinitions(
  home: string,
  warn: (text: string) => void,
): Promise<readonly AgentDefinition[]> {
  const own = configDirectory();
  if (own === join(home, '.longhand')) return [];
  return await definitionsIn(openLocalWorkspace(home), join(own, 'agents'), warn);
}

async function definitionsOf(
  folder: string,
  warn: (text: string) => void,
): Promise<readonly AgentDefinition[]> {
  const files = openLocalWorkspace(folder);
  const [own, claude] = await Promise.all([
    loadAgentDefinitions(files, folder, warn),
    definitionsIn(files, `${folder}/.claude/agents`, warn),
  ]);
  return [...own, ...claude.map(fromClaude)];
}

/** A repository must not start programs unasked. */
function withoutPrograms(definition: AgentDefinition, warn: (text: string) => void): AgentDefinition {
  const { hooks, mcpServers, ...rest } = definition;
  if (hooks !== undefined || mcpServers !== undefined)
    warn(`the hooks and MCP servers of ${definition.source} are ignored: they belong to the project`);
  return rest;
}

export interface ChosenAgent {
  readonly definition: AgentDefinition;
  /** The agents that it can delegate work to. */
  readonly helpers?: readonly AgentDefinition[];
  readonly hooks?: HookConfig;
}

/** Without a name the default agent, for which no files are read. Throws UsageError. */
export async function chooseAgent(
  name: string | undefined,
  workingDir: string,
  plugins: readonly Plugin[],
  warn: (text: string) => void,
): Promise<ChosenAgent> {
  if (name === undefined || agentMeant(name) === DEFAULT_AGENT.name) return { definition: DEFAULT_AGENT };
  const agents = await knownAgents(workingDir, plugins, warn);
  const agent = agentNamed(name, agents);
  const { confirmation, hooks, source, tools = [] } = agent;
  if (confirmation !== undefined && confirmation.kind !== 'NeverConfirm')
    throw new UsageError(
      `the agent ${source ?? name} needs a person to approve its actions, which this command cannot ask for yet`,
    );
  const strange = tools.find((each) => !TOOL_NAMES.includes(each.name))?.name;
  if (strange !== undefined) {
    const near = nearest(strange, TOOL_NAMES);
    throw new UsageError(
      `the agent ${source ?? name} has an unknown tool "${strange}"; ${near === undefined ? `known are ${TOOL_NAMES.join(', ')}` : `did you mean ${near}?`}`,
    );
  }
  return {
    definition: agent,
    helpers: agents,
    ...(hooks === undefined ? {} : { hooks: parseHookConfig(hooks) }),
  };
}

/** Throws UsageError with the nearest name. */
function agentNamed(name: string, agents: readonly AgentDefinition[]): AgentDefinition {
  const meant = agentMeant(name);
  const found = agents.find((each) => each.name === meant);
  if (found !== undefined) return found;
  const near = nearest(
    meant,
    agents.map((each) => each.name),
  );
  throw new UsageError(
    `there is no agent "${name}"; ${near === undefined ? 'longhand agents lists them' : `did you mean ${near}?`}`,
  );
}

/**
 * The settings for an agent that may be another one than `given` was read for: that of a resumed conversation. It may name a model, which
 * is used unless the command line names one. Throws UsageError.
 */
export async function settingsWith(
  { definition }: ChosenAgent,
  asked: Given,
  given: Settings,
): Promise<Settings> {
  const { model = {}, agent = {} } = asked;
  const isModelGiven = model.model !== undefined || model.profile !== undefined;
  const agentProfile = isModelGiven ? undefined : definition.model;
  const isAsRead = agentMeant(agent.agent ?? given.agentName ?? DEFAULT_AGENT.name) === definition.name;
  if (agentProfile === undefined && isAsRead) return given;
  const wanted = { ...asked, agent: { ...agent, agent: definition.name }, agentProfile };
  return await readSettings(wanted, process.env, process.cwd());
}

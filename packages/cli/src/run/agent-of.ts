import {
  type Agent,
  type AgentContext,
  type AgentDefinition,
  type LlmConfig,
  type McpConfig,
  type Skill,
  specialise,
} from '@longhand/sdk';
import { type ActionReplay, MCP_TOOLS, readBaseState } from '@longhand/sdk/internal';
import { defined } from '@longhand/sdk/value';
import { builtinTools, DEFAULT_AGENT, DEFAULT_TOOLS, switchTools } from '@longhand/tools';
import type { AgentSection } from '../config/agent-sections.ts';

/** What an agent is made of. */
export interface AgentParts {
  readonly llm: LlmConfig;
  /** Models for purposes other than the agent's own work. */
  readonly llms?: Agent['llms'] | undefined;
  /** Default: the default agent. */
  readonly definition?: AgentDefinition | undefined;
  /** The tools of the default agent in the resumed conversation, as its switches left them. */
  readonly storedTools?: Agent['tools'] | undefined;
  /** Agents that it can delegate work to. */
  readonly helpers?: readonly AgentDefinition[] | undefined;
  readonly condenser?: Agent['condenser'] | undefined;
  /** `[agent]` of a config file. */
  readonly section?: AgentSection | undefined;
  /** Skills of plugins and of the owner of the repository. */
  readonly skills?: readonly Skill[] | undefined;
  /** What the prompt lists. */
  readonly told?: Pick<AgentContext, 'variables' | 'secrets'> | undefined;
  /** MCP servers, whatever agent it is. */
  readonly mcp?: McpConfig | undefined;
  /** A file with a template that replaces the system prompt. */
  readonly systemPrompt?: string | undefined;
}

/** The specification of the agent of a run. It loads the skills and instructions of the user and of the project. */
export function agentOf(
  {
    llm,
    llms = {},
    definition = DEFAULT_AGENT,
    storedTools,
    condenser,
    section = {},
    skills = [],
    told,
    mcp = {},
  }: AgentParts,
  trajectory?: ActionReplay,
): Agent {
  const { disabledSkills, useMcp = true } = section;
  const agent: Agent = {
    llm,
    tools: DEFAULT_TOOLS,
    context: {
      loadProjectSkills: true,
      loadUserSkills: true,
      ...told,
      ...(skills.length === 0 ? {} : { skills }),
      ...(useMcp ? {} : { startServers: false }),
      ...defined({ disabledSkills }),
    },
    ...(Object.keys(llms).length === 0 ? {} : { llms }),
  };
  const isDefault = definition === DEFAULT_AGENT;
  const meant = isDefault && storedTools !== undefined ? { ...definition, tools: storedTools } : definition;
  const { mcpConfig: own, ...special } = specialise(agent, meant, builtinTools);
  const mcpConfig = useMcp ? { ...own, ...mcp } : {};
  const tools = switchTools(special.tools, section.switches ?? {}, { mayAdd: isDefault });
  return {
    ...special,
    tools: isDefault ? [...tools, ...toolsFor(trajectory)] : tools,
    ...defined({ condenser }),
    ...(Object.keys(mcpConfig).length === 0 ? {} : { mcpConfig }),
  };
}

/** The agents that it can delegate work to. A tool that is switched off for it is switched off for them. */
export function helpersOf({
  helpers = [],
  section = {},
}: Pick<AgentParts, 'helpers' | 'section'>): readonly AgentDefinition[] {
  return helpers.map((agent) =>
    agent.tools === undefined
      ? agent
      : { ...agent, tools: switchTools(agent.tools, section.switches ?? {}, { mayAdd: false }) },
  );
}

/**
 * The tools stored in a conversation's folder for the default agent, or for an agent without a name, as OpenHands stores it: OpenHands refuses
 * to open a folder again whose agent has gained tools. Undefined for another agent, and if no tool to work with is known here.
 */
export function toolsStoredIn(directory: string): Agent['tools'] | undefined {
  try {
    const { agent, isImported } = readBaseState(directory) ?? {};
    if (agent === undefined || isImported === true) return undefined;
    const known = agent.tools.filter(({ name }) => name !== MCP_TOOLS && TOOL_NAMES.has(name));
    if (agent.name === DEFAULT_AGENT.name) return known;
    const canWork = known.some(({ name }) => name !== 'finish' && name !== 'think');
    return agent.name === undefined && canWork ? known : undefined;
  } catch {
    return undefined; // reported when the conversation is opened
  }
}

const TOOL_NAMES: ReadonlySet<string> = new Set(builtinTools.map(({ name }) => name));

/** Other names for tools that every agent has. */
const ALIASES = ['execute_bash', 'str_replace_editor'];

/** Tools that a trajectory calls and the default agent lacks. A named agent keeps to its own tools. */
function toolsFor(trajectory: ActionReplay | undefined): Agent['tools'] {
  const has = (name: string) => DEFAULT_TOOLS.some((tool) => tool.name === name) || ALIASES.includes(name);
  return builtinTools
    .filter(({ name }) => trajectory?.tools.has(name) === true && !has(name))
    .map(({ name }) => ({ name, params: {} }));
}

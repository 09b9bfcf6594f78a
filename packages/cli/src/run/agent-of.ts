import { type Agent, type AgentDefinition, specialise } from '@longhand/sdk';
import { defined } from '@longhand/sdk/value';
import { builtinTools, DEFAULT_TOOLS } from '@longhand/tools';
import type { AgentSection } from '../config/v0-sections.ts';
import type { Session } from './session.ts';

/** What of a session makes an agent what it is. */
export type AgentParts = Pick<
  Session,
  'llm' | 'llms' | 'condenser' | 'skills' | 'mcp' | 'agent' | 'section' | 'trajectory'
>;

/** The specification of the agent that a run has. The files that people have for agents are read, theirs and the project's. */
export function agentOf({
  llm,
  llms,
  condenser,
  skills,
  mcp = {},
  agent: definition,
  section = {},
  trajectory,
}: AgentParts): Agent {
  const { disabledSkills } = section;
  const agent: Agent = {
    llm,
    tools: [...DEFAULT_TOOLS, ...toolsFor(trajectory)],
    context: {
      loadProjectSkills: true,
      loadUserSkills: true,
      ...defined({ skills, disabledSkills }),
    },
    ...defined({ llms }),
  };
  const special = definition === undefined ? agent : specialise(agent, definition, builtinTools);
  const mcpConfig = { ...special.mcpConfig, ...mcp };
  return {
    ...special,
    tools: switchedOn(special.tools, section),
    ...defined({ condenser }),
    ...(Object.keys(mcpConfig).length === 0 ? {} : { mcpConfig }),
  };
}

/** Those that it can hand work to: what is switched off for it is so for them. */
export function helpersOf({
  agents = [],
  section = {},
}: Pick<Session, 'agents' | 'section'>): readonly AgentDefinition[] {
  return agents.map(({ tools, ...agent }) =>
    tools === undefined ? agent : { ...agent, tools: switchedOn(tools, section) },
  );
}

function switchedOn(tools: Agent['tools'], { withoutTools = [] }: AgentSection): Agent['tools'] {
  return tools.filter(({ name }) => !withoutTools.includes(name));
}

/** Other names of tools that every agent has. */
const ALIASES = ['execute_bash', 'str_replace_editor'];

/** What a trajectory calls and an agent does without by default. One under a name has its own tools, and no others. */
function toolsFor(trajectory: Session['trajectory']): Agent['tools'] {
  const has = (name: string) => DEFAULT_TOOLS.some((tool) => tool.name === name) || ALIASES.includes(name);
  return builtinTools
    .filter(({ name }) => trajectory?.tools.has(name) === true && !has(name))
    .map(({ name }) => ({ name, params: {} }));
}

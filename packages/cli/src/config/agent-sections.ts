/** `[agent]` and `[agent.NAME]`: OpenHands V0's keys, as they fit here. */
import { readVariable, type Setting } from '@longhand/sdk/internal';
import { defined } from '@longhand/sdk/value';
import { agentMeant, DEFAULT_AGENT, TOOL_SWITCHES, type ToolSwitches } from '@longhand/tools';
import type { AgentOptions } from '../flags/table.ts';
import { UsageError } from '../usage-error.ts';
import type { Layer } from './config-file.ts';
import { LOCAL_FILE } from './foreign-address.ts';
import type { GroupValues, SectionValues } from './read-sections.ts';
import { AGENT_KEYS } from './sections.ts';

export interface AgentSection {
  /** Of a profile, or `[llm.NAME]`. */
  readonly llmConfig?: string;
  readonly stuckDetection?: boolean;
  readonly disabledSkills?: readonly string[];
  /** Tools that are switched on or off. */
  readonly switches?: ToolSwitches;
  /** The file with the system prompt, as written in the section. */
  readonly systemPrompt?: string;
  /** Whether MCP servers are started. Default true. */
  readonly useMcp?: boolean;
}

export interface AgentSections {
  readonly base: AgentSection;
  /** Each on top of `base`. */
  readonly named: { readonly [name: string]: AgentSection };
}

type AgentValues = SectionValues['agent'];

/** The sections of one file. */
export function agentSections(base: AgentValues, named: GroupValues['agent']): AgentSections {
  const entries = Object.entries(named).map(([name, own]) => [name, agentSection({ ...base, ...own })]);
  return { base: agentSection(base), named: Object.fromEntries(entries) };
}

function agentSection(values: AgentValues): AgentSection {
  const keys = Object.keys(TOOL_SWITCHES) as (keyof ToolSwitches)[];
  const given = keys.filter((key) => values[key] !== undefined);
  return defined({
    llmConfig: values.llm_config,
    stuckDetection: values.enable_stuck_detection,
    disabledSkills: values.disabled_microagents,
    switches: given.length === 0 ? undefined : Object.fromEntries(given.map((key) => [key, values[key]])),
    systemPrompt: values.system_prompt_filename,
    useMcp: values.enable_mcp,
  });
}

/**
 * V0's variables for keys of `[agent]`: each by its upper-case name, after `AGENT_`. They count before any section. Throws UsageError.
 */
function agentVariables(env: { readonly [name: string]: string | undefined }): AgentSection {
  const given = Object.entries<Setting>(AGENT_KEYS).flatMap(([key, { kind }]): [string, unknown][] => {
    const variable = `AGENT_${key.toUpperCase()}`;
    const words = env[variable]?.trim();
    if (words === undefined || words === '') return [];
    try {
      return [[key, readVariable(kind, words)]];
    } catch (error) {
      throw new UsageError(`$${variable} ${(error as Error).message}`);
    }
  });
  return agentSection(Object.fromEntries(given));
}

/** What the first section does not say is as in the second. */
function merged(first: AgentSection, second: AgentSection): AgentSection {
  const switches = { ...second.switches, ...first.switches };
  return { ...second, ...first, ...(Object.keys(switches).length === 0 ? {} : { switches }) };
}

/**
 * What applies to an agent: V0's variables, then `[agent.NAME]` for the name that is given or for any name of the agent; without such a
 * section `[agent]`. `left` are keys that are not taken, because the file may be a stranger's. Throws UsageError.
 */
export function sectionFor(
  { agentConfig, agent }: Pick<AgentOptions, 'agent' | 'agentConfig'> = {},
  agentName: string | undefined,
  layers: readonly Layer[],
  env: { readonly [name: string]: string | undefined },
): { readonly section: AgentSection; readonly left: readonly string[] } {
  const wanted = agentConfig ?? agent ?? agentName ?? DEFAULT_AGENT.name;
  const files = layers.filter(({ agents }) => agents !== undefined);
  const sections = files.flatMap(({ name: file, agents }) =>
    Object.entries(agents?.named ?? {}).map(([name, section]) => ({ file, name, section })),
  );
  const named =
    sections.find(({ name }) => name === wanted) ??
    sections.find(({ name }) => agentMeant(name) === agentMeant(wanted));
  if (named === undefined && agentConfig !== undefined)
    throw new UsageError(`there is no section [agent.${agentConfig}] in a config file`);
  const [first] = files;
  const { file, section = {} } = named ?? { file: first?.name, section: first?.agents?.base };
  const { systemPrompt, ...rest } = section;
  const isLeft = file === LOCAL_FILE && systemPrompt !== undefined;
  return {
    section: merged(agentVariables(env), isLeft ? rest : section),
    left: isLeft ? ['system_prompt_filename'] : [],
  };
}

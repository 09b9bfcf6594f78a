/** The agent's specification as `base_state.json` stores it: reference 1.43, `Agent`. */
import type { Agent } from '../../agent/agent.ts';
import type { AgentContext } from '../../context/agent-context.ts';
import { type McpConfig, redactMcpConfig } from '../../context/mcp-config.ts';
import { llmFromStored } from '../../llm/config/wire-config.ts';
import { defined } from '../../value/defined.ts';
import { condenserToWire } from './condenser-wire.ts';
import { modelToWire } from './model-wire.ts';
import { isRecord, optionalString, record, string, type Wire } from './wire-values.ts';

/** The reference attaches these by itself and names them by class. */
const BUILT_IN: { readonly [name: string]: string } = { finish: 'FinishTool', think: 'ThinkTool' };

/** What the reference needs and we do not have. */
const DEFAULTS: Wire = {
  system_prompt_filename: 'system_prompt.j2',
  security_policy_filename: 'security_policy.j2',
  system_prompt_kwargs: { llm_security_analyzer: true },
  tool_concurrency_limit: 1,
  kind: 'Agent',
};

/** Keys that the agent does not set stay as they were `before`. */
export function agentToWire(agent: Agent, before: Wire | undefined): Wire {
  const { llm, llms = {}, tools, mcpConfig, context } = agent;
  const builtIn = tools.filter(isBuiltIn).map(({ name }) => BUILT_IN[name]);
  const own = {
    llm: modelToWire(llm, 'agent', before?.['llm']),
    tools: tools.filter((tool) => !isBuiltIn(tool)),
    mcp_config: mcpConfig === undefined ? (before?.['mcp_config'] ?? {}) : redactMcpConfig(mcpConfig),
    filter_tools_regex: agent.filterToolsRegex,
    include_default_tools: [...builtIn, ...otherBuiltIn(before)],
    agent_context: context === undefined ? undefined : contextToWire(context, before?.['agent_context']),
    system_prompt: agent.systemPrompt,
    condenser: condenserToWire(agent.condenser, llms['condenser'] ?? llm, before),
    tool_concurrency_limit: agent.toolConcurrency,
  };
  return { ...DEFAULTS, ...before, ...defined(own) };
}

/** Throws TypeError for what nothing works without. */
export function agentFromWire(json: Wire): Agent {
  const llm = record(json['llm'] ?? {}, 'agent.llm');
  const builtIn = builtInOf(json);
  const tools = Array.isArray(json['tools'])
    ? json['tools'].map((tool) => toolSpec(record(tool, 'tool')))
    : [];
  const systemPrompt = optionalString(json['system_prompt']);
  const context = contextFromWire(json['agent_context']);
  const mcpConfig = json['mcp_config'];
  const filterToolsRegex = optionalString(json['filter_tools_regex']);
  return {
    llm: llmFromStored(llm),
    tools: [
      ...tools,
      ...Object.entries(BUILT_IN).flatMap(([name, kind]) =>
        builtIn.includes(kind) ? [{ name, params: {} }] : [],
      ),
    ],
    ...defined({ systemPrompt, context }),
    // Checked where it is used: a mistake in it must not prevent reading.
    ...(isFilled(mcpConfig) ? { mcpConfig: mcpConfig as McpConfig } : {}),
    ...defined({ filterToolsRegex }),
  };
}

/** Whether the tool is named by its class alone; one with parameters is listed among the others. */
function isBuiltIn({ name, params }: Agent['tools'][number]): boolean {
  return Object.hasOwn(BUILT_IN, name) && Object.keys(params).length === 0;
}

/** The reference's further classes, which we do not have. */
function otherBuiltIn(before: Wire | undefined): readonly unknown[] {
  const ours = Object.values(BUILT_IN);
  return builtInOf(before ?? {}).filter((name) => !ours.includes(name as string));
}

function builtInOf({ include_default_tools: names }: Wire): readonly unknown[] {
  return Array.isArray(names) ? names : [];
}

function isFilled(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

/** Our skills are not stored: they are loaded again, or given again in code. Those of the reference stay. */
function contextToWire(context: AgentContext, before: unknown): Wire {
  return {
    skills: [],
    ...(isRecord(before) ? before : {}),
    ...defined({
      system_message_suffix: context.systemMessageSuffix,
      user_message_suffix: context.userMessageSuffix,
    }),
    load_user_skills: context.loadUserSkills ?? false,
    load_project_skills: context.loadProjectSkills ?? false,
    disabled_skills: context.disabledSkills ?? [],
  };
}

function contextFromWire(json: unknown): AgentContext | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  const wire = json as Wire;
  const system = optionalString(wire['system_message_suffix']);
  const user = optionalString(wire['user_message_suffix']);
  const disabled = wire['disabled_skills'];
  return {
    ...defined({ systemMessageSuffix: system, userMessageSuffix: user }),
    ...(wire['load_user_skills'] === true ? { loadUserSkills: true } : {}),
    ...(wire['load_project_skills'] === true ? { loadProjectSkills: true } : {}),
    ...(Array.isArray(disabled) && disabled.length > 0 ? { disabledSkills: disabled.map(String) } : {}),
  };
}

function toolSpec(json: Wire): Agent['tools'][number] {
  return { name: string(json['name'], 'tool.name'), params: record(json['params'] ?? {}, 'tool.params') };
}

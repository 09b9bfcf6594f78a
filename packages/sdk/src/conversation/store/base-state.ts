/**
 * `base_state.json`: what the reference needs to open the folder. Every field that matters to us is in the log, or is given again by the
 * caller. So the file is written when it is out of date, never overrides a log that we wrote, and is rebuilt when it cannot be read.
 *
 * Format: reference 1.43, section 3.3 of its persistence; floats may be written without a fraction.
 */
import type { Agent } from '../../agent/agent.ts';
import type { AgentContext } from '../../context/agent-context.ts';
import { type McpConfig, REDACTED, redactMcpConfig } from '../../context/mcp-config.ts';
import { isStats, type Stats } from '../../llm/accounts/metrics.ts';
import { llmFromWire, llmToWire } from '../../llm/config/wire-config.ts';
import { type ConfirmationPolicy, confirmationFromWire } from '../../security/confirmation.ts';
import { defined } from '../../value/defined.ts';
import type { CondenserSpec } from '../../view/condensers/spec.ts';
import type { State } from '../state/state.ts';
import { isStatus, type Status } from '../state/status.ts';

export const BASE_STATE_FILE = 'base_state.json';
const OURS = 'longhand';
/** The reference attaches these by itself and names them by class. */
const BUILT_IN = { finish: 'FinishTool', think: 'ThinkTool' } as const;

export interface BaseState {
  readonly id: string;
  /** Undefined for an imported history that nobody has continued yet. */
  readonly agent: Agent | undefined;
  readonly workingDir: string;
  readonly directory: string;
  readonly maxIterations: number;
  readonly stuckDetection: boolean;
  readonly confirmation: ConfirmationPolicy;
  readonly tags: Tags;
  readonly state: State;
  /** Whether HEAD was moved before the first event. Default false. */
  readonly isHeadEmpty?: boolean;
  /** Whether the agent comes from an imported file; true until the conversation is opened with an agent of the user's. */
  readonly isImported?: boolean;
  /** What was stored before: fields of other programs are preserved. */
  readonly before?: StoredBaseState | undefined;
}

/** Labels of a conversation: keys of lower-case letters and digits, values up to 256 characters. `agent` names the agent. */
export type Tags = { readonly [key: string]: string };

export function serializeBaseState({ state, before, ...own }: BaseState): string {
  const kept = before?.json ?? {};
  const written = {
    id: own.id,
    agent: own.agent === undefined ? undefined : agentToWire(own.agent),
    workspace: { working_dir: own.workingDir, kind: 'LocalWorkspace' },
    persistence_dir: own.directory,
    max_iterations: own.maxIterations,
    stuck_detection: own.stuckDetection,
    execution_status: state.status,
    confirmation_policy: own.confirmation,
    activated_knowledge_skills: state.activatedSkills,
    activated_path_rules: state.activatedPathRules,
    invoked_skills: kept['invoked_skills'] ?? [],
    blocked_actions: kept['blocked_actions'] ?? {},
    blocked_messages: kept['blocked_messages'] ?? {},
    last_user_message_id: state.lastUserMessageId ?? undefined,
    leaf_event_id: state.leafId ?? undefined,
    head_is_empty: own.isHeadEmpty ?? false,
    stats: withCallsOf(state.stats, before?.stats),
    secret_registry: kept['secret_registry'] ?? { secret_sources: {} },
    tags: own.tags,
    agent_state: { ...(kept['agent_state'] as object | undefined), longhand: undefined, ...ownState(own) },
  };
  // The reference drops this key when it writes the file, so the key tells who wrote last.
  const mark = { written_by: OURS };
  const others = Object.entries(kept).filter(
    ([key]) => !Object.hasOwn(written, key) && !Object.hasOwn(mark, key),
  );
  return JSON.stringify({ ...written, ...Object.fromEntries(others), ...mark });
}

/** Our calls are in the log; those of the reference are only here. */
function withCallsOf({ usage_to_metrics: all }: Stats, before: Stats | undefined): Stats {
  const entries = Object.entries(all).map(([id, each]) => [id, { ...before?.usage_to_metrics[id], ...each }]);
  return { usage_to_metrics: Object.fromEntries(entries) };
}

/** The parts of a stored `base_state.json` that are used. */
export interface StoredBaseState {
  readonly id: string;
  readonly agent: Agent | undefined;
  readonly status: Status | undefined;
  readonly workingDir: string | undefined;
  readonly leafId: string | undefined;
  /** Whether HEAD is before the first event. */
  readonly isHeadEmpty: boolean;
  /** Whether this program wrote the file last, rather than the reference. */
  readonly isOurs: boolean;
  readonly maxIterations: number | undefined;
  readonly confirmation: ConfirmationPolicy | undefined;
  readonly tags: Tags;
  readonly stats: Stats | undefined;
  readonly isImported: boolean;
  /** The whole file. */
  readonly json: { readonly [key: string]: unknown };
}

/** Throws SyntaxError or TypeError if the text is not such a file. */
export function parseBaseState(source: string): StoredBaseState {
  const json = record(JSON.parse(source), 'base_state.json');
  const workspace = json['workspace'] === undefined ? {} : record(json['workspace'], 'workspace');
  const status = json['execution_status'];
  return {
    id: string(json['id'], 'id'),
    agent: json['agent'] === undefined ? undefined : storedAgent(json),
    status: isStatus(status) ? status : undefined,
    workingDir: optionalString(workspace['working_dir']),
    leafId: optionalString(json['leaf_event_id']),
    isHeadEmpty: json['head_is_empty'] === true,
    isOurs: json['written_by'] === OURS,
    maxIterations: typeof json['max_iterations'] === 'number' ? json['max_iterations'] : undefined,
    confirmation: confirmationFromWire(json['confirmation_policy']),
    tags: tagsFromWire(json['tags']),
    stats: isStats(json['stats']) ? json['stats'] : undefined,
    json,
    isImported: ownOf(json).imported === true,
  };
}

function tagsFromWire(json: unknown): Tags {
  if (typeof json !== 'object' || json === null) return {};
  return Object.fromEntries(Object.entries(json).filter((entry) => typeof entry[1] === 'string'));
}

/** Fields for which the reference has no place. */
function ownState({ agent, isImported = false }: Pick<BaseState, 'agent' | 'isImported'>): object {
  const { condenser, llms } = agent ?? {};
  if (condenser === undefined && llms === undefined && !isImported) return {};
  const models = Object.entries(llms ?? {}).map(([purpose, llm]) => [
    purpose,
    llmToWire(llm, () => REDACTED),
  ]);
  return {
    longhand: {
      ...(isImported ? { imported: true } : {}),
      ...defined({ condenser }),
      ...(llms === undefined ? {} : { llms: Object.fromEntries(models) }),
    },
  };
}

interface OwnState {
  readonly imported?: boolean;
  readonly condenser?: CondenserSpec;
  readonly llms?: { readonly [purpose: string]: object };
}

function ownOf(json: Record<string, unknown>): OwnState {
  const { longhand = {} } = (json['agent_state'] ?? {}) as { readonly longhand?: OwnState };
  return longhand;
}

function storedAgent(json: Record<string, unknown>): Agent {
  const agent = agentFromWire(record(json['agent'], 'agent'));
  const own = ownOf(json);
  const llms = Object.entries(own.llms ?? {}).map(([purpose, llm]) => [purpose, llmFromWire({ ...llm })]);
  return {
    ...agent,
    ...defined({ name: tagsFromWire(json['tags'])['agent'], condenser: own.condenser }),
    ...(own.llms === undefined ? {} : { llms: Object.fromEntries(llms) }),
  };
}

function agentToWire(agent: Agent): object {
  const builtIn = agent.tools.filter(isBuiltIn);
  return {
    llm: { ...llmToWire(agent.llm, () => REDACTED), usage_id: agent.llm.usageId ?? 'agent' },
    tools: agent.tools.filter((tool) => !isBuiltIn(tool)),
    mcp_config: redactMcpConfig(agent.mcpConfig ?? {}),
    filter_tools_regex: agent.filterToolsRegex,
    include_default_tools: builtIn.map((tool) => BUILT_IN[tool.name as keyof typeof BUILT_IN]),
    ...(agent.context === undefined ? {} : { agent_context: contextToWire(agent.context) }),
    ...defined({ system_prompt: agent.systemPrompt }),
    system_prompt_filename: 'system_prompt.j2',
    security_policy_filename: 'security_policy.j2',
    system_prompt_kwargs: { llm_security_analyzer: true },
    tool_concurrency_limit: agent.toolConcurrency ?? 1,
    kind: 'Agent',
  };
}

/** Whether the tool is named by its class alone; one with parameters is listed among the others. */
function isBuiltIn({ name, params }: Agent['tools'][number]): boolean {
  return Object.hasOwn(BUILT_IN, name) && Object.keys(params).length === 0;
}

function agentFromWire(json: Record<string, unknown>): Agent {
  const llm = record(json['llm'] ?? {}, 'agent.llm');
  const builtIn = Array.isArray(json['include_default_tools']) ? json['include_default_tools'] : [];
  const tools = Array.isArray(json['tools'])
    ? json['tools'].map((tool) => toolSpec(record(tool, 'tool')))
    : [];
  const systemPrompt = optionalString(json['system_prompt']);
  const context = contextFromWire(json['agent_context']);
  const mcpConfig = json['mcp_config'];
  const filterToolsRegex = optionalString(json['filter_tools_regex']);
  return {
    llm: llmFromWire(llm),
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

function isFilled(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

/** Skills are not stored: they are loaded again, or given again in code. */
function contextToWire(context: AgentContext): object {
  return {
    skills: [],
    system_message_suffix: context.systemMessageSuffix,
    user_message_suffix: context.userMessageSuffix,
    load_user_skills: context.loadUserSkills ?? false,
    load_project_skills: context.loadProjectSkills ?? false,
    disabled_skills: context.disabledSkills ?? [],
  };
}

function contextFromWire(json: unknown): AgentContext | undefined {
  if (typeof json !== 'object' || json === null) return undefined;
  const wire = json as { readonly [key: string]: unknown };
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

function toolSpec(json: Record<string, unknown>): Agent['tools'][number] {
  return { name: string(json['name'], 'tool.name'), params: record(json['params'] ?? {}, 'tool.params') };
}

function record(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError(`${what} is not an object`);
  return value as Record<string, unknown>;
}

function string(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new TypeError(`${what} is not a string`);
  return value;
}

function optionalString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

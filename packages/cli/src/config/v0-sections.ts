/** `[agent]`, `[agent.NAME]`, `[sandbox]` and what of `[core]` says where the work is done: OpenHands V0's keys, as they fit here. */
import { resolve } from 'node:path';
import { defined } from '@longhand/sdk/value';
import { UsageError } from '../usage-error.ts';
import { isTable, type Table } from './toml-values.ts';

export interface AgentSection {
  /** Of a profile, or `[llm.NAME]`. */
  readonly llmConfig?: string;
  readonly stuckDetection?: boolean;
  readonly disabledSkills?: readonly string[];
  /** Tools that are switched off. */
  readonly withoutTools?: readonly string[];
}

export interface AgentSections {
  readonly base: AgentSection;
  /** Each on top of `base`. */
  readonly named: { readonly [name: string]: AgentSection };
}

/** Where a new conversation works, if the command line does not say. */
export interface Place {
  /** As it stands in the file. */
  readonly directory?: string;
  readonly repo?: string;
  /** Variables for what the agent starts. */
  readonly env?: { readonly [name: string]: string };
}

/** What each switch switches off, under every name that it has; whatever an agent has is on by default. */
const SWITCHES: { readonly [key: string]: readonly string[] } = {
  enable_cmd: ['terminal', 'execute_bash'],
  enable_editor: ['file_editor', 'str_replace_editor'],
  enable_jupyter: ['execute_ipython_cell'],
  enable_browsing: ['browser', 'browser_tool_set'],
  enable_condensation_request: ['request_condensation'],
  enable_think: ['think'],
  enable_finish: ['finish'],
  enable_plan_mode: ['task_tracker'],
};

/** Keys that mean something here. */
export const V0_KEYS = {
  core: ['workspace_base'],
  agent: ['llm_config', 'enable_stuck_detection', 'disabled_microagents', ...Object.keys(SWITCHES)],
  sandbox: ['selected_repo', 'volumes', 'runtime_startup_env_vars'],
} as const;

/** And those that V0 has besides. */
export const V0_UNUSED_KEYS = {
  agent:
    `classpath system_prompt_filename cli_mode enable_llm_editor enable_mcp enable_prompt_extensions enable_history_truncation enable_som_visual_browsing
    condenser model_routing extended runtime`.split(/\s+/),
  sandbox: `timeout base_container_image runtime_container_image user_id runtime_extra_deps
    runtime_extra_build_args force_rebuild_runtime use_host_network additional_networks runtime_binding_address
    local_runtime_url keep_runtime_alive pause_closed_runtimes rm_all_containers close_delay enable_auto_lint
    initialize_plugins browsergym_eval_env platform vscode_port enable_gpu cuda_visible_devices docker_runtime_kwargs
    trusted_dirs remote_runtime_api_url api_key remote_runtime_init_timeout remote_runtime_api_timeout
    remote_runtime_enable_retries remote_runtime_class remote_runtime_resource_factor`.split(/\s+/),
} as const;

/** Throws UsageError. */
export function agentSections(table: Table, place: string): AgentSections | undefined {
  const section = table['agent'];
  if (!isTable(section)) return undefined;
  const named = Object.entries(section).filter(([, value]) => isTable(value)) as [string, Table][];
  return {
    base: agentSection(section, `${place}: [agent]`),
    named: Object.fromEntries(
      named.map(([name, own]) => [name, agentSection({ ...section, ...own }, `${place}: [agent.${name}]`)]),
    ),
  };
}

function agentSection(section: Table, place: string): AgentSection {
  const llmConfig = text(section['llm_config'], `${place} llm_config`);
  const stuckDetection = flag(section['enable_stuck_detection'], `${place} enable_stuck_detection`);
  const disabled = section['disabled_microagents'];
  if (disabled !== undefined && !isListOfTexts(disabled))
    throw new UsageError(`${place} disabled_microagents must be a list of names`);
  const withoutTools = Object.entries(SWITCHES).flatMap(([key, tools]) =>
    flag(section[key], `${place} ${key}`) === false ? tools : [],
  );
  return {
    ...defined({ llmConfig, stuckDetection, disabledSkills: disabled }),
    ...(withoutTools.length === 0 ? {} : { withoutTools }),
  };
}

/** Throws UsageError. */
export function placeIn(table: Table, place: string): Place {
  const core = isTable(table['core']) ? table['core'] : {};
  const sandbox = isTable(table['sandbox']) ? table['sandbox'] : {};
  const volumes = text(sandbox['volumes'], `${place}: [sandbox] volumes`);
  const mounted =
    volumes === undefined ? undefined : mountedWorkspace(volumes, `${place}: [sandbox] volumes`);
  const directory = mounted ?? text(core['workspace_base'], `${place}: [core] workspace_base`);
  const repo = text(sandbox['selected_repo'], `${place}: [sandbox] selected_repo`);
  const env = sandbox['runtime_startup_env_vars'];
  if (env !== undefined && !isTextByName(env))
    throw new UsageError(`${place}: [sandbox] runtime_startup_env_vars must be a table of texts`);
  return defined({ directory, repo, env });
}

/** `SANDBOX_ENV_X` is `X` for what the agent starts. */
export function sandboxVariables(env: { readonly [name: string]: string | undefined }): {
  readonly [name: string]: string;
} {
  const found = Object.entries(env).flatMap(([name, value]) => {
    const [, own] = /^SANDBOX_ENV_(.+)$/.exec(name) ?? [];
    return own === undefined || value === undefined ? [] : [[own, value]];
  });
  return Object.fromEntries(found);
}

/** The folder of this machine that V0 has as its workspace: `HOST:/workspace[:MODE]` among others, with commas between them. */
function mountedWorkspace(volumes: string, place: string): string | undefined {
  for (const volume of volumes.split(',')) {
    const [host = '', inside, mode, ...more] = volume.trim().split(':');
    if (host === '' || inside === undefined || more.length > 0)
      throw new UsageError(`${place}: "${volume.trim()}" is not HOST:CONTAINER or HOST:CONTAINER:MODE`);
    if (resolve('/', inside) !== '/workspace') continue;
    if (mode?.split(',').includes('ro'))
      throw new UsageError(
        `${place}: the workspace is to be read only, which this command cannot keep to yet`,
      );
    return host;
  }
  return undefined;
}

function text(value: unknown, place: string): string | undefined {
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw new UsageError(`${place} must be text in quotes`);
  return value;
}

function flag(value: unknown, place: string): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value;
  throw new UsageError(`${place} must be true or false`);
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function isTextByName(value: unknown): value is { readonly [name: string]: string } {
  return isTable(value) && Object.values(value).every((each) => typeof each === 'string');
}

/**
 * The sections and keys of `config.toml`: OpenHands V0's, as they apply here. Reading, suggestions for misspelled names, the JSON
 * Schema for editors and docs/reference/configuration.md are made from this table.
 */
import { CONDENSER_TYPES, LLM_FIELDS, type Setting } from '@longhand/sdk/internal';
import type { TOOL_SWITCHES } from '@longhand/tools';

export interface Section {
  readonly means: string;
  /** The JSON Schema of a section that has a reader of its own. */
  readonly schema?: object;
  /** The keys of any other section that has an effect. */
  readonly keys?: { readonly [key: string]: Setting };
  /** Keys of V0 that have no effect here. */
  readonly ignored?: readonly string[];
  /** What a table within the section is, as in `[llm.NAME]`; absent if there is none. */
  readonly groups?: string | undefined;
  /** A section of V0 that has no effect here. */
  readonly isIgnored?: true;
}

/** A switch that every agent and its sub-agents obey. */
function toolSwitch(tool: string): Setting {
  return { kind: 'switch', means: `true: CodeActAgent has ${tool}; false: no agent has` };
}

export const CORE_KEYS = {
  max_iterations: { kind: 'whole number above 0', means: 'as `--max-iterations`' },
  max_budget_per_task: { kind: 'number', means: 'as `--max-budget`, in US dollars; 0: none' },
  default_agent: { kind: 'text', means: 'as `--agent`' },
  workspace_base: { kind: 'text', means: 'as `--directory`, for new conversations' },
  save_trajectory_path: {
    kind: 'text',
    means:
      'as `--save-trajectory`; in a `./config.toml` that `--config` does not name, only a path inside the folder',
  },
  save_screenshots_in_trajectory: {
    kind: 'switch',
    means: 'true: a saved trajectory contains screenshots',
    byDefault: 'false',
  },
  replay_trajectory_path: {
    kind: 'text',
    means:
      'as `--replay-trajectory`, for new conversations; not from a `./config.toml` that `--config` does not name',
  },
} as const satisfies { readonly [key: string]: Setting };

export const LLM_SECTION_KEYS = {
  ...LLM_FIELDS,
  fallback_llms: {
    kind: 'list of texts',
    means: 'models to ask, in this order, when this one cannot be reached: groups, profiles or names',
  },
} as const satisfies { readonly [key: string]: Setting };

export const AGENT_KEYS = {
  llm_config: { kind: 'text', means: 'the profile, or the NAME of `[llm.NAME]`, to use' },
  enable_stuck_detection: {
    kind: 'switch',
    means: 'false: repetition does not end a run',
    byDefault: 'true',
  },
  disabled_microagents: { kind: 'list of texts', means: 'skills to leave out, by name' },
  system_prompt_filename: {
    kind: 'text',
    means:
      'a template in `~/.longhand/prompts`, or with a `/` in it a path, used as with `--system-prompt`; not from a `./config.toml` that `--config` does not name',
    byDefault: '`system_prompt.j2`: the built-in prompt',
  },
  enable_cmd: toolSwitch('a terminal'),
  enable_editor: toolSwitch('a file editor'),
  enable_jupyter: toolSwitch('Python cells'),
  enable_browsing: toolSwitch('a browser (`fetch` is removed with it)'),
  enable_condensation_request: toolSwitch('`request_condensation`'),
  enable_think: toolSwitch('`think`'),
  enable_finish: toolSwitch('`finish`'),
  enable_plan_mode: toolSwitch('`task_tracker`'),
  enable_llm_editor: {
    kind: 'switch',
    means: 'true: agents with a file editor have `edit_file` in its place',
    byDefault: 'false',
  },
  enable_mcp: { kind: 'switch', means: 'false: no MCP servers are started', byDefault: 'true' },
} as const satisfies { readonly [key in keyof typeof TOOL_SWITCHES]: Setting } & {
  readonly [key: string]: Setting;
};

export const SANDBOX_KEYS = {
  selected_repo: {
    kind: 'text',
    means: 'as `--repo`; not from a `./config.toml` that `--config` does not name',
  },
  volumes: {
    kind: 'text',
    means: '`HOST:/workspace[:MODE]`: HOST is the folder to work in, as `--directory`',
  },
  runtime_startup_env_vars: {
    kind: 'table of texts',
    means: "variables for the agent's programs; not from a `./config.toml` that `--config` does not name",
  },
} as const satisfies { readonly [key: string]: Setting };

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

const NAME = {
  type: 'string',
  minLength: 1,
  description: 'a profile, the NAME of `[llm.NAME]`, or `provider/model`',
};

const RULE = {
  type: 'object',
  properties: {
    use: { ...NAME, description: '`primary`, or a name as in `[llms]`' },
    has_image: { type: 'boolean' },
    first_turn: { type: 'boolean' },
    min_prompt_tokens: { type: 'number' },
  },
  required: ['use'],
  additionalProperties: false,
};

const IGNORED: Section = { means: 'without effect', isIgnored: true };

export const SECTIONS = {
  core: {
    means: 'limits, the agent, folders and trajectories',
    keys: CORE_KEYS,
    ignored: words(`runtime workspace_mount_path_in_sandbox workspace_mount_path workspace_mount_rewrite
      file_store file_store_path search_api_key enable_browser cache_dir run_as_openhands init_git_in_empty_workspace
      disable_color debug jwt_secret cli_multiline_input enable_default_condenser mcp_host git_user_name git_user_email
      conversation_max_age_seconds max_concurrent_conversations client_wait_timeout`),
  },
  llm: {
    means: 'the model',
    keys: LLM_SECTION_KEYS,
    groups: 'another model: what differs from `[llm]`; used by the name NAME',
    ignored: words(`custom_llm_provider ollama_base_url drop_params modify_params custom_tokenizer
      safety_settings for_routing correct_num completion_kwargs`),
  },
  llms: {
    means: 'which model to use for which purpose',
    schema: { type: 'object', additionalProperties: NAME },
  },
  agent: {
    means: 'the agent',
    keys: AGENT_KEYS,
    groups:
      'another agent: what differs from `[agent]`; chosen by `--agent-config NAME`, or by the agent that has this name or alias',
    ignored: words(`classpath cli_mode enable_prompt_extensions
      enable_history_truncation enable_som_visual_browsing condenser model_routing extended runtime`),
  },
  sandbox: {
    means: 'where to work',
    keys: SANDBOX_KEYS,
    ignored: words(`timeout base_container_image runtime_container_image user_id runtime_extra_deps
      runtime_extra_build_args force_rebuild_runtime use_host_network additional_networks runtime_binding_address
      local_runtime_url keep_runtime_alive pause_closed_runtimes rm_all_containers close_delay enable_auto_lint
      initialize_plugins browsergym_eval_env platform vscode_port enable_gpu cuda_visible_devices docker_runtime_kwargs
      trusted_dirs remote_runtime_api_url api_key remote_runtime_init_timeout remote_runtime_api_timeout
      remote_runtime_enable_retries remote_runtime_class remote_runtime_resource_factor`),
  },
  condenser: {
    means: 'how a long history is shortened',
    schema: { type: 'object', properties: { type: { enum: CONDENSER_TYPES }, llm_config: NAME } },
  },
  model_routing: {
    means: 'when to ask another model',
    schema: {
      type: 'object',
      properties: {
        router_name: { enum: ['noop_router', 'multimodal_router'] },
        rules: { type: 'array', items: RULE },
      },
    },
  },
  mcp: { means: 'MCP servers', schema: { type: 'object' } },
  security: { means: 'without effect; `confirmation_mode = true` is refused', isIgnored: true },
  kubernetes: IGNORED,
  extended: IGNORED,
} as const satisfies { readonly [name: string]: Section };

/**
 * The table of flags. Everything that knows a flag is made from its entry: parser, checks, help, `LONGHAND_<FLAG>`, the types of
 * the commands, shell completion, the reference page and what a batch passes on. A new flag of `run` is one entry here.
 *
 * A group is passed on as it is: `limits` to the engine, `model` to the settings.
 */
import { listFlag, onFlag, optionalFlag, valueFlag, withNegative } from './flag.ts';
import type { GroupsOf, OptionsOf } from './groups.ts';
import {
  AGENT,
  AGENT_CONFIG,
  DIRECTORY,
  JSON_LINES,
  LOG_LEVEL,
  PLUGINS,
  QUIET,
  SYSTEM_PROMPT,
} from './shared-flags.ts';
import * as value from './value.ts';

/** Where conversations are stored. */
export const STORE = {
  conversationsDir: valueFlag(value.directory, {
    name: 'conversations-dir',
    help: 'where conversations are stored',
    default: '~/.longhand/conversations',
    batch: 'refuses',
  }),
};

/** Which model, and how it is reached. */
export const MODEL = {
  model: valueFlag(value.text('NAME'), {
    name: 'model',
    help: 'the model as provider/model, such as anthropic/claude-sonnet-5 or ollama/qwen3; with --base-url a bare name will do',
    page: 'models.md',
  }),
  baseUrl: valueFlag(value.text('URL'), {
    name: 'base-url',
    help: "the base URL of the endpoint, as the provider's AI SDK package takes it",
    default: "the provider's own",
  }),
  profile: valueFlag(value.text('NAME'), {
    name: 'profile',
    short: 'l',
    aliases: ['llm-config'],
    help: 'a stored profile, or [llm.NAME] of the config file',
  }),
  configFile: valueFlag(value.file, {
    name: 'config',
    aliases: ['config-file'],
    help: 'read this config file instead of the default ones',
    default: './config.toml and ~/.longhand/config.toml',
  }),
};
export type ModelOptions = OptionsOf<typeof MODEL>;

/** Limits of a run, as the engine takes them. */
const LIMITS = {
  maxIterations: valueFlag(value.wholeNumber(1), {
    name: 'max-iterations',
    short: 'i',
    help: 'stop after this many requests to the model in one run',
    default: '500',
  }),
  maxBudgetUsd: valueFlag(value.amount, {
    name: 'max-budget',
    short: 'b',
    aliases: ['max-budget-per-task'],
    help: 'stop when the whole conversation has cost this much; refuses models without a known price',
    default: 'none',
  }),
  maxTokens: valueFlag(value.wholeNumber(1), {
    name: 'max-tokens',
    help: 'stop when the whole conversation has used this many tokens, input and output',
    default: 'none',
  }),
  maxTimeMs: valueFlag(value.duration, {
    name: 'max-time',
    help: 'stop this run after a time such as 90s, 15m or 2h',
    default: 'none',
  }),
  allowUnpriced: onFlag({
    name: 'allow-unpriced',
    help: 'with --max-budget, count calls with an unknown price as free',
  }),
};
export type LimitOptions = OptionsOf<typeof LIMITS>;

const TASK = {
  text: valueFlag(value.text('TEXT'), {
    name: 'task',
    short: 't',
    help: 'the task, or with --resume the next message; @FILE in it attaches a file',
    once: true,
    excludes: { file: 'the task is given more than once; use one of -t and -f' },
    batch: 'refuses',
  }),
  file: valueFlag(value.file, {
    name: 'file',
    short: 'f',
    help: 'read the task from a file; - reads standard input',
    once: true,
    batch: 'refuses',
  }),
  images: listFlag(value.file, {
    name: 'image',
    help: 'attach an image to the task (PNG, JPEG, GIF, WebP or BMP); repeatable',
    batch: 'refuses',
  }),
};
export type TaskOptions = OptionsOf<typeof TASK>;

const RESUMED = 'a resumed conversation has its own';

/** Which conversation. */
const CONVERSATION = {
  resume: optionalFlag(value.conversationOrLatest, {
    name: 'resume',
    help: 'resume a conversation: its name, the beginning of its id, or "latest" for the latest of all folders',
    default: 'the latest conversation of this folder',
    excludes: {
      id: RESUMED,
      name: RESUMED,
      repo: RESUMED,
      branch: RESUMED,
      'replay-trajectory': 'a replay starts a conversation of its own',
    },
    batch: 'refuses',
  }),
  name: valueFlag(value.conversationName, {
    name: 'name',
    short: 'n',
    help: 'name the conversation; one that already has this name is resumed',
    default: 'none',
    batch: 'refuses',
  }),
  id: valueFlag(value.uuid, {
    name: 'id',
    help: 'the id of the conversation; one that already has this id is resumed',
    default: 'a new one',
    batch: 'refuses',
  }),
};
export type ConversationOptions = OptionsOf<typeof CONVERSATION>;

/** What the agent is made of. */
const AGENTS = {
  systemPrompt: SYSTEM_PROMPT,
  hooks: valueFlag(value.file, {
    name: 'hooks',
    help: 'hooks: programs that are called on events and can block actions',
    default: '~/.longhand/hooks.json',
    page: 'context.md#hooks',
  }),
  plugins: PLUGINS,
  mcp: listFlag(value.file, {
    name: 'mcp',
    help: 'MCP servers in the format of .mcp.json, in addition to ~/.longhand/mcp.json; repeatable',
    page: 'tools/mcp.md',
  }),
  agent: AGENT,
  agentConfig: AGENT_CONFIG,
  autoContinue: withNegative(
    optionalFlag(value.text('TEXT'), {
      name: 'auto-continue',
      help: 'when the agent speaks instead of acting, reply with TEXT or a standard message and continue',
      default: 'on for codeact, readonly and browsing',
    }),
    {
      help: 'when the agent speaks instead of acting, read the reply from standard input; /exit or its end stops the run',
      batch: 'refuses',
    },
  ),
};
export type AgentOptions = OptionsOf<typeof AGENTS>;

/** Where the agent works. */
const PLACE = {
  directory: DIRECTORY,
  repo: valueFlag(value.text('REPO', 'directory'), {
    name: 'repo',
    aliases: ['selected-repo'],
    help: 'clone OWNER/NAME from GitHub, a git address or a folder, and work there',
    batch: 'refuses',
  }),
  branch: valueFlag(value.text('NAME'), {
    name: 'branch',
    help: 'the branch of that repository',
    default: 'a new one, longhand-workspace- and eight hex digits',
    needs: 'repo',
    batch: 'refuses',
  }),
  sandboxOff: onFlag({
    name: 'no-sandbox',
    help: 'accepted and ignored: there is no sandbox to switch off yet',
  }),
  setup: withNegative(
    onFlag({
      name: 'setup',
      help: "source the repository's setup script first",
      default: 'when --repo is cloned',
    }),
    { help: "do not source the repository's setup script" },
  ),
};
export type PlaceOptions = OptionsOf<typeof PLACE>;

/** What is written down besides the conversation, and what is played back. */
const RECORDING = {
  record: valueFlag(value.file, {
    name: 'record',
    help: 'record every exchange with the model in a cassette, a new file',
    page: 'reference/cassette.md',
    batch: 'refuses',
  }),
  replay: valueFlag(value.file, {
    name: 'replay',
    help: "take the model's replies from a cassette; every request must match the recorded one",
    excludes: { record: 'one writes a cassette, the other plays one' },
    batch: 'refuses',
  }),
  saveTrajectory: valueFlag(value.file, {
    name: 'save-trajectory',
    help: 'save the trajectory in the format of OpenHands V0 when the run ends; in an existing folder as <id>.json',
    default: 'none',
    batch: 'refuses',
  }),
  replayTrajectory: valueFlag(value.file, {
    name: 'replay-trajectory',
    help: 'repeat the actions of a trajectory, then let the agent continue; takes no task',
    default: 'none',
    batch: 'refuses',
  }),
  snapshots: valueFlag(value.directory, {
    name: 'context-snapshots',
    help: 'write what each request was made of into a folder, one numbered file per request',
    batch: 'refuses',
  }),
};
export type RecordingOptions = OptionsOf<typeof RECORDING>;

/** The flags of `longhand run`. */
export const RUN = {
  task: TASK,
  conversation: CONVERSATION,
  place: PLACE,
  model: MODEL,
  limits: LIMITS,
  agent: AGENTS,
  recording: RECORDING,
  output: { json: JSON_LINES, quiet: QUIET, logLevel: LOG_LEVEL },
  store: STORE,
};
export type RunOptions = GroupsOf<typeof RUN>;
export type OutputOptions = Partial<RunOptions['output']>;

/** Every command takes these; they only print something. */
export const INFORM = {
  inform: {
    help: onFlag({ name: 'help', short: 'h', help: 'print help', variable: false }),
    version: onFlag({ name: 'version', short: 'v', help: 'print the version', variable: false }),
  },
};

/** What can be asked for: each command as a value. */
import type { ExportFormat, ImportFormat } from '@longhand/sdk';
import type { BatchCommand } from '../batch/options.ts';
import type { CommandName } from './flag-table.ts';

export const LOG_LEVELS = ['error', 'warning', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Where a task comes from. */
export type TaskSource =
  | { readonly from: 'text'; readonly text: string }
  | { readonly from: 'file'; readonly path: string }
  | { readonly from: 'stdin' };

export interface Common {
  readonly conversationsDir?: string;
  readonly json: boolean;
  readonly logLevel: LogLevel;
}

export interface RunCommand extends Common {
  readonly command: 'run';
  readonly task?: TaskSource;
  readonly directory?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly maxIterations?: number;
  readonly maxBudgetUsd?: number;
  readonly maxTokens?: number;
  readonly maxTimeMs?: number;
  readonly allowUnpriced?: boolean;
  /** A stored profile, or a group of the config file. */
  readonly profile?: string;
  /** A cassette to write, or to play the model from. */
  readonly record?: string;
  readonly replay?: string;
  /** A file, or a folder that is there: where the trajectory is written when the run ends. */
  readonly saveTrajectory?: string;
  /** A trajectory whose actions are carried out anew before the agent goes on. */
  readonly replayTrajectory?: string;
  /** A folder for what each request was made of. */
  readonly snapshots?: string;
  /** A template, in place of the system prompt. */
  readonly systemPrompt?: string;
  /** A file of hooks, in place of the user's own. */
  readonly hooks?: string;
  /** Files of MCP servers. */
  readonly mcp?: readonly string[];
  /** One of `longhand agents`. */
  readonly agent?: string;
  /** `[agent.NAME]` of a config file. */
  readonly agentConfig?: string;
  /** Folders, or addresses of git with a commit. */
  readonly plugins?: readonly string[];
  /** Given: which conversation goes on, or the latest. */
  readonly resume?: { readonly id?: string };
  readonly configFile?: string;
  /** Of the conversation: a new one gets it, one that has it goes on. */
  readonly id?: string;
  /** The same; without `id` it says which conversation is meant. */
  readonly name?: string;
  /** OWNER/NAME, an address of git, or a folder: cloned, and worked on there. */
  readonly repo?: string;
  readonly branch?: string;
  /** What is said when the agent asks: a text, our own (true), or whatever stands at standard input (false). */
  readonly autoContinue?: boolean | string;
  /** Whether the repository's own setup script is run. Default: with `repo`, when it is cloned. */
  readonly setup?: boolean;
  readonly quiet: boolean;
}

export interface ListCommand extends Common {
  readonly command: 'ls';
}

export interface ShowCommand extends Common {
  readonly command: 'show';
  readonly id: string;
  readonly at?: number;
  readonly messages: boolean;
  /** The model's calls, one by one. */
  readonly calls: boolean;
}

export interface ForkCommand extends Common {
  readonly command: 'fork';
  readonly id: string;
  /** Default: the last event. */
  readonly at?: number;
}

/** Where a model is described: as in a run. */
export interface ModelSettings extends Common {
  readonly model?: string;
  readonly baseUrl?: string;
  readonly profile?: string;
  readonly configFile?: string;
}

export interface PromptCommand extends ModelSettings {
  readonly command: 'prompt';
  readonly agent?: string;
  readonly agentConfig?: string;
  readonly directory?: string;
  readonly systemPrompt?: string;
  readonly plugins?: readonly string[];
}

export interface AgentsCommand extends Common {
  readonly command: 'agents';
  readonly directory?: string;
  readonly plugins?: readonly string[];
}

export interface ModelCommand extends ModelSettings {
  readonly command: 'model';
}

export interface ProfileCommand extends ModelSettings {
  readonly command: 'profile';
  readonly action: 'list' | 'show' | 'save' | 'remove';
  readonly name?: string;
  readonly withSecrets: boolean;
}

export interface ReplayCommand extends Common {
  readonly command: 'replay';
  /** A conversation's id, or a cassette. */
  readonly source: string;
  readonly strict: boolean;
}

export interface ExportCommand extends Common {
  readonly command: 'export';
  readonly id: string;
  readonly format: ExportFormat;
  /** Default: standard output. */
  readonly out?: string;
  /** Of chat messages: the role of what the agent says. */
  readonly agentRole: 'agent' | 'assistant';
}

export interface ImportCommand extends Common {
  readonly command: 'import';
  readonly file: string;
  /** Default: told by its content. */
  readonly format?: ImportFormat;
  readonly directory?: string;
}

export interface StatsCommand extends Common {
  readonly command: 'stats';
  readonly id: string;
  /** A file for a picture. */
  readonly svg?: string;
}

export interface DemoCommand extends Common {
  readonly command: 'demo';
  readonly quiet: boolean;
}

export interface HelpCommand {
  readonly command: 'help';
  readonly topic?: CommandName;
}

export interface VersionCommand {
  readonly command: 'version';
}

export type Command =
  | RunCommand
  | ListCommand
  | ShowCommand
  | ForkCommand
  | ReplayCommand
  | ExportCommand
  | ImportCommand
  | StatsCommand
  | ModelCommand
  | PromptCommand
  | AgentsCommand
  | ProfileCommand
  | DemoCommand
  | BatchCommand
  | HelpCommand
  | VersionCommand;

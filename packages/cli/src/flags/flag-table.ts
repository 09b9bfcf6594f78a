/** Which flags each command takes. */
import { batchFlags } from '../batch/options.ts';
import type { Flag } from './flags.ts';

export const COMMANDS = [
  'run',
  'ls',
  'show',
  'fork',
  'replay',
  'export',
  'import',
  'stats',
  'model',
  'profile',
  'prompt',
  'agents',
  'demo',
  'batch',
  'help',
] as const;
export type CommandName = (typeof COMMANDS)[number];

const HELP: Flag = { name: 'help', short: 'h' };
const VERSION: Flag = { name: 'version', short: 'v' };
const JSON_LINES: Flag = { name: 'json' };
const QUIET: Flag = { name: 'quiet' };
const AT: Flag = { name: 'at', value: 'required' };
const MODEL: readonly Flag[] = [
  { name: 'model', value: 'required' },
  { name: 'base-url', value: 'required' },
  { name: 'profile', short: 'l', aliases: ['llm-config'], value: 'required' },
  { name: 'config', aliases: ['config-file'], value: 'required' },
];
const COMMON: readonly Flag[] = [
  HELP,
  VERSION,
  { name: 'conversations-dir', value: 'required' },
  { name: 'log-level', value: 'required' },
];

export const RUN: readonly Flag[] = [
  { name: 'task', short: 't', value: 'required', once: true },
  { name: 'file', short: 'f', value: 'required', once: true },
  { name: 'directory', short: 'd', value: 'required' },
  ...MODEL,
  { name: 'max-iterations', short: 'i', value: 'required' },
  { name: 'max-budget', short: 'b', aliases: ['max-budget-per-task'], value: 'required' },
  { name: 'resume', value: 'optional' },
  { name: 'max-tokens', value: 'required' },
  { name: 'max-time', value: 'required' },
  { name: 'allow-unpriced' },
  { name: 'record', value: 'required' },
  { name: 'replay', value: 'required' },
  { name: 'save-trajectory', value: 'required' },
  { name: 'replay-trajectory', value: 'required' },
  { name: 'context-snapshots', value: 'required' },
  { name: 'system-prompt', value: 'required' },
  { name: 'hooks', value: 'required' },
  { name: 'plugin', value: 'required', many: true },
  { name: 'mcp', value: 'required', many: true },
  { name: 'agent', short: 'c', aliases: ['agent-cls'], value: 'required' },
  { name: 'agent-config', value: 'required' },
  { name: 'no-sandbox' },
  { name: 'id', value: 'required' },
  { name: 'name', short: 'n', value: 'required' },
  { name: 'repo', aliases: ['selected-repo'], value: 'required' },
  { name: 'branch', value: 'required' },
  { name: 'auto-continue', value: 'optional' },
  { name: 'no-auto-continue' },
  { name: 'setup' },
  { name: 'no-setup' },
  JSON_LINES,
  QUIET,
  ...COMMON,
];

/** What each command takes. */
export const FLAGS: { readonly [K in CommandName]: readonly Flag[] } = {
  run: RUN,
  batch: batchFlags(RUN),
  ls: [JSON_LINES, ...COMMON],
  show: [AT, { name: 'messages' }, { name: 'calls' }, JSON_LINES, ...COMMON],
  fork: [AT, ...COMMON],
  replay: [{ name: 'strict' }, JSON_LINES, ...COMMON],
  export: [
    { name: 'format', value: 'required' },
    { name: 'out', short: 'o', value: 'required' },
    { name: 'agent-role', value: 'required' },
    ...COMMON,
  ],
  import: [
    { name: 'format', value: 'required' },
    { name: 'directory', short: 'd', value: 'required' },
    ...COMMON,
  ],
  stats: [{ name: 'svg', value: 'required' }, JSON_LINES, ...COMMON],
  model: [...MODEL, JSON_LINES, ...COMMON],
  profile: [...MODEL, { name: 'with-key' }, ...COMMON],
  prompt: [
    { name: 'directory', short: 'd', value: 'required' },
    { name: 'system-prompt', value: 'required' },
    { name: 'agent', value: 'required' },
    { name: 'agent-config', value: 'required' },
    { name: 'plugin', value: 'required', many: true },
    ...MODEL,
    JSON_LINES,
    ...COMMON,
  ],
  agents: [
    { name: 'directory', short: 'd', value: 'required' },
    { name: 'plugin', value: 'required', many: true },
    JSON_LINES,
    ...COMMON,
  ],
  demo: [JSON_LINES, QUIET, ...COMMON],
  help: COMMON,
};

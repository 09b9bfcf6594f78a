/** Entries of the table of flags (table.ts) that several commands share. */
import { listFlag, onFlag, valueFlag } from './flag.ts';
import * as value from './value.ts';

export const LOG_LEVELS = ['error', 'warning', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const JSON_LINES = onFlag({
  name: 'json',
  help: 'print one JSON object per line on standard output, and nothing else there',
  page: 'reference/json-lines.md',
  batch: 'reads',
});
export const QUIET = onFlag({
  name: 'quiet',
  help: 'print only the final message',
  excludes: { json: 'one prints only the final message, the other every event' },
  batch: 'reads',
});
export const LOG_LEVEL = valueFlag(value.oneOf('LEVEL', LOG_LEVELS), {
  name: 'log-level',
  help: 'what to report on standard error: error, warning, info or debug (stack traces, and each call to a model: sizes, times and ids)',
  default: 'warning',
  batch: 'reads',
});
export const DIRECTORY = valueFlag(value.directory, {
  name: 'directory',
  short: 'd',
  help: 'the folder to work in',
  default: 'the current folder, or that of the resumed conversation',
  batch: 'refuses',
});
export const PLUGINS = listFlag(value.text('SOURCE', 'directory'), {
  name: 'plugin',
  help: 'load skills, commands, hooks and MCP servers from a folder, or from git as ADDRESS#COMMIT; repeatable',
  page: 'context.md',
});
export const AGENT = valueFlag(value.text('NAME'), {
  name: 'agent',
  short: 'c',
  aliases: ['agent-cls'],
  help: 'the agent to run: one of "longhand agents", or the name of a V0 class',
  default: '[core] default_agent of the config file, else CodeActAgent',
});
export const AGENT_CONFIG = valueFlag(value.text('NAME'), {
  name: 'agent-config',
  help: 'use [agent.NAME] of the config file',
  default: "the agent's own section, else [agent]",
});
export const SYSTEM_PROMPT = valueFlag(value.file, {
  name: 'system-prompt',
  help: 'a Jinja template that replaces the system prompt',
  page: 'context.md',
});
/** What most commands print with. */
export const OUTPUT = { json: JSON_LINES, logLevel: LOG_LEVEL };
export const AT = valueFlag(value.wholeNumber(0), {
  name: 'at',
  help: 'the event to stop at, counted from 0',
  default: 'the last one',
});

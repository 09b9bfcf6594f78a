/** Which hooks run at which events. Format: the reference's `hooks.json` (SDK 1.43, section 10). */

import type { Event } from '../../event/kinds.ts';
import { ownValue } from '../../value/own-value.ts';

export type HookEventType = Extract<Event, { readonly kind: 'HookExecutionEvent' }>['hook_event_type'];

export interface Hook {
  readonly type: 'command' | 'prompt' | 'agent';
  readonly name?: string;
  /** Run by a shell in the workspace. */
  readonly command?: string;
  /** The policy for a model, or the task for an agent. */
  readonly prompt?: string;
  /** Only for agents. */
  readonly systemPrompt?: string;
  readonly tools?: readonly string[];
  readonly maxIterations?: number;
  readonly timeoutMs: number;
  /** The run does not wait for it. */
  readonly isAsync: boolean;
  /** A hook that fails refuses. */
  readonly failClosed: boolean;
}

export interface HookGroup {
  /** Whether the hooks apply to a tool. */
  readonly matches: (toolName: string) => boolean;
  readonly hooks: readonly Hook[];
}

/** The hooks of a conversation, by event. */
export type HookConfig = { readonly [K in HookEventType]?: readonly HookGroup[] };

const EVENTS: { readonly [key: string]: HookEventType } = {
  pre_tool_use: 'PreToolUse',
  post_tool_use: 'PostToolUse',
  user_prompt_submit: 'UserPromptSubmit',
  session_start: 'SessionStart',
  session_end: 'SessionEnd',
  stop: 'Stop',
};
const TIMEOUT_S = 60;
const MAX_TIMEOUT_S = 86_400;
const AGENT_ITERATIONS = 3;

type Json = { readonly [key: string]: unknown };

/** Parses `hooks.json`. Throws TypeError that names the place of the mistake. */
export function parseHookConfig(json: unknown): HookConfig {
  const outer = record(json, 'the file');
  const { fail_closed: closed, ...rest } = record(outer['hooks'] ?? outer, 'hooks');
  const failClosed = flag(closed, false, 'hooks.fail_closed');
  const config: { [K in HookEventType]?: readonly HookGroup[] } = {};
  for (const [key, groups] of Object.entries(rest)) {
    const event = ownValue(EVENTS, key) ?? Object.values(EVENTS).find((each) => each === key);
    if (event === undefined)
      throw new TypeError(`"${key}" is not an event; the events are: ${Object.keys(EVENTS).join(', ')}`);
    if (config[event] !== undefined) throw new TypeError(`${event} is given twice`);
    if (!Array.isArray(groups)) throw new TypeError(`${key} must be a list`);
    config[event] = groups.map((group: unknown, i) => parseGroup(group, `${key}[${i}]`, failClosed));
  }
  return config;
}

/** Merges two configurations; the hooks of the first run first. */
export function mergeHooks(first: HookConfig, second: HookConfig): HookConfig {
  const events = [...new Set([...Object.keys(first), ...Object.keys(second)])] as HookEventType[];
  return Object.fromEntries(
    events.map((event) => [event, [...(first[event] ?? []), ...(second[event] ?? [])]]),
  );
}

function parseGroup(json: unknown, place: string, failClosed: boolean): HookGroup {
  const { matcher = '*', hooks } = record(json, place);
  if (typeof matcher !== 'string') throw new TypeError(`${place}.matcher must be a string`);
  if (!Array.isArray(hooks)) throw new TypeError(`${place}.hooks must be a list`);
  return {
    matches: matcherOf(matcher, place),
    hooks: hooks.map((hook: unknown, i) => parseHook(hook, `${place}.hooks[${i}]`, failClosed)),
  };
}

function parseHook(json: unknown, place: string, failClosed: boolean): Hook {
  const {
    type = 'command',
    name,
    command,
    prompt,
    system_prompt: systemPrompt,
    tools = [],
    max_iterations: maxIterations = AGENT_ITERATIONS,
    timeout = TIMEOUT_S,
    async: loose,
    fail_closed: own,
  } = record(json, place);
  if (type !== 'command' && type !== 'prompt' && type !== 'agent')
    throw new TypeError(`${place}.type must be command, prompt or agent`);
  if (type === 'command' && (typeof command !== 'string' || command === ''))
    throw new TypeError(`${place} needs a command`);
  if (type !== 'command' && command !== undefined && command !== '')
    throw new TypeError(`${place}: only a command hook has a command`);
  if (type !== 'command' && (typeof prompt !== 'string' || prompt === ''))
    throw new TypeError(`${place} needs a prompt`);
  if (!Array.isArray(tools) || tools.some((tool) => typeof tool !== 'string'))
    throw new TypeError(`${place}.tools must be a list of names`);
  if (typeof maxIterations !== 'number' || !(maxIterations > 0))
    throw new TypeError(`${place}.max_iterations must be a number above 0`);
  // A longer time would overflow the timer and end at once.
  if (typeof timeout !== 'number' || !(timeout > 0 && timeout <= MAX_TIMEOUT_S))
    throw new TypeError(`${place}.timeout must be a number of seconds, at most ${MAX_TIMEOUT_S}`);
  const isAsync = flag(loose, false, `${place}.async`);
  if (isAsync && type !== 'command') throw new TypeError(`${place}: only a command can be async`);
  return {
    type,
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof command === 'string' ? { command } : {}),
    ...(typeof prompt === 'string' ? { prompt } : {}),
    ...(type === 'agent' ? { tools: tools as readonly string[], maxIterations } : {}),
    ...(type === 'agent' && typeof systemPrompt === 'string' ? { systemPrompt } : {}),
    timeoutMs: timeout * 1_000,
    isAsync,
    failClosed: flag(own, failClosed, `${place}.fail_closed`),
  };
}

function flag(value: unknown, otherwise: boolean, place: string): boolean {
  if (value !== undefined && typeof value !== 'boolean')
    throw new TypeError(`${place} must be true or false`);
  return value ?? otherwise;
}

/** `*` for all, a pattern if it looks like one, else the name itself. */
function matcherOf(matcher: string, place: string): (toolName: string) => boolean {
  if (matcher === '*' || matcher === '') return () => true;
  const inSlashes = /^\/(.*)\/$/.exec(matcher)?.[1];
  if (inSlashes === undefined && !/[.*+?^${}()|[\]\\]/.test(matcher)) return (name) => name === matcher;
  try {
    const pattern = new RegExp(`^(?:${inSlashes ?? matcher})$`);
    return (name) => pattern.test(name);
  } catch (error) {
    throw new TypeError(`${place}.matcher: ${(error as Error).message}`);
  }
}

function record(value: unknown, place: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError(`${place} is no object`);
  return value as Json;
}

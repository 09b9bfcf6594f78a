/**
 * Tools that a replay knows only from its record: a program's own, and adapted ones. They describe themselves as the recorded system prompt
 * does, accept the arguments that were accepted then, and are never run.
 */
import { type Agent, type ToolSpec, toolSpecsOf } from '../../agent/agent.ts';
import { type ActionEvent, type Event, isResult, type ToolDescription } from '../../event/kinds.ts';
import { ReplayMismatch } from '../../llm/playback/cassette.ts';
import { parseArguments } from '../../tool/repair.ts';
import {
  type Tool,
  type ToolAnnotations,
  type ToolEnvironment,
  ToolError,
  type ToolFactory,
} from '../../tool/tool.ts';
import { createToolSet } from '../../tool/tool-set.ts';
import { defined } from '../../value/defined.ts';
import { isRecord } from '../../value/is-record.ts';
import { isOfUser } from './replay-record.ts';

/** One factory for each tool of the specification that `registry` lacks. Rejects if a tool of `registry` cannot be created. */
export async function recordedTools(
  agent: Agent,
  events: readonly Event[],
  registry: readonly ToolFactory[],
  environment: ToolEnvironment,
): Promise<ToolFactory[]> {
  const specs = toolSpecsOf(agent);
  const isKnown = ({ name }: ToolSpec) => registry.some((factory) => factory.name === name);
  const unknown = specs.filter((spec) => !isKnown(spec));
  if (unknown.length === 0) return [];
  const known = await createToolSet(specs.filter(isKnown), registry, environment);
  await known.close();
  const kinds = new Set(known.tools.map(({ kind }) => kind.tool));
  const names = new Set(known.tools.map(({ name }) => name));
  const tools = (environment.described ?? [])
    .map((description) => toolOf(description, unknown, events))
    .filter(({ name, kind }) => !names.has(name) && (!kinds.has(kind.tool) || isNamed(name, unknown)));
  return factoriesOf(unknown, tools);
}

function isNamed(name: string, specs: readonly ToolSpec[]): boolean {
  return specs.some((spec) => spec.name === name);
}

/** A specification gets the tool of its name. What is left belongs to those whose tools have other names, in order, the rest to the last. */
function factoriesOf(specs: readonly ToolSpec[], tools: readonly Tool[]): ToolFactory[] {
  const left = tools.filter(({ name }) => !isNamed(name, specs));
  const sets = specs.filter((spec) => !tools.some(({ name }) => name === spec.name));
  return specs.map((spec) => {
    const own = tools.filter(({ name }) => name === spec.name);
    const rest = spec === sets.at(-1) ? left.length : 1;
    const made = own.length > 0 ? own : left.splice(0, rest);
    return { name: spec.name, create: () => made };
  });
}

function toolOf(description: ToolDescription, specs: readonly ToolSpec[], events: readonly Event[]): Tool {
  const name = nameOf(description, specs, events);
  const calls = events.flatMap((event) =>
    event.kind === 'ActionEvent' && event.tool_name === name ? [event] : [],
  );
  const {
    kind,
    title,
    annotations,
    action_type,
    observation_type,
    description: words,
    ...more
  } = description;
  return {
    name,
    kind: { tool: kind, action: textOr(action_type, kind), observation: textOr(observation_type, kind) },
    description: words,
    input: inputOf(name, calls, description),
    annotations: { ...(annotations as ToolAnnotations), title: textOr(title, name) },
    describe: { ...more, ...defined({ annotations }) },
    endsRun: endsRun(calls, events),
    run: () => Promise.reject(new ReplayMismatch(`${name} was about to run`)),
  };
}

/** A description does not hold the name, except for a tool of an MCP server; often it is the title, or known from a call. */
function nameOf(
  { mcp_tool: raw, title, action_type, kind }: ToolDescription,
  specs: readonly ToolSpec[],
  events: readonly Event[],
): string {
  if (isRecord(raw) && typeof raw['name'] === 'string') return raw['name'];
  const called = new Set(
    events.flatMap((event) =>
      event.kind === 'ActionEvent' && event.action?.kind === action_type ? [event.tool_name] : [],
    ),
  );
  const [only, ...others] = called;
  if (typeof title === 'string' && (called.has(title) || isNamed(title, specs))) return title;
  if (only !== undefined && others.length === 0) return only;
  const stem = kind.replace(/Tool(Definition)?$/, '').toLowerCase();
  const spec = specs.find((each) => each.name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase() === stem);
  return spec?.name ?? textOr(title, kind);
}

/** Accepts what was accepted, and returns what was stored for it. */
function inputOf(name: string, calls: readonly ActionEvent[], description: ToolDescription): Tool['input'] {
  const own = ['summary', 'security_risk'].filter((key) =>
    calls.some(({ action }) => declaresKey(action, key)),
  );
  const accepted = new Map<string, object>();
  for (const { action, tool_call } of calls) {
    if (action === undefined) continue;
    const args = Object.entries(parseArguments(tool_call.arguments)).filter(
      ([key]) => (key !== 'summary' && key !== 'security_risk') || own.includes(key),
    );
    const { kind: _, ...input } = action;
    accepted.set(keyOf(Object.fromEntries(args)), input);
  }
  const { mcp_tool: raw } = description;
  const schema = isRecord(raw) && isRecord(raw['inputSchema']) ? raw['inputSchema'] : {};
  return {
    jsonSchema: {
      ...schema,
      type: 'object',
      properties: {
        ...(isRecord(schema['properties']) ? schema['properties'] : {}),
        ...Object.fromEntries(own.map((key) => [key, {}])),
      },
    },
    keepsNulls: true,
    parse: (args: object) => {
      const input = accepted.get(keyOf(args));
      if (input === undefined) throw new ToolError(`The record has no such call of ${name}.`);
      return input;
    },
  };
}

function declaresKey(action: ActionEvent['action'], key: string): boolean {
  if (action === undefined) return false;
  const { data } = action;
  return Object.hasOwn(action, key) || (isRecord(data) && Object.hasOwn(data, key));
}

/** The same for the same arguments in any order. */
function keyOf(args: object): string {
  return JSON.stringify(Object.entries(args).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Whether a successful call ended the run: the agent did not speak again before the user did. */
function endsRun(calls: readonly ActionEvent[], events: readonly Event[]): boolean {
  const succeeded = events.flatMap((event, i) =>
    event.kind === 'ObservationEvent' &&
    event.observation.is_error !== true &&
    calls.some(({ id }) => id === event.action_id)
      ? [i]
      : [],
  );
  return succeeded.length > 0 && succeeded.every((at) => endsAt(events, at));
}

function endsAt(events: readonly Event[], at: number): boolean {
  const after = events.slice(at + 1).filter(({ kind }) => kind !== 'HookExecutionEvent');
  const next = after.find((event) => !isResult(event));
  const rest = after.slice(0, next === undefined ? undefined : after.indexOf(next));
  // The calls behind the one that ended the run were not executed.
  if (rest.some((event) => event.kind === 'ObservationEvent')) return false;
  // A turn that was ended has a result for each call; one that was cut off has not.
  return next === undefined ? hasAllResults(events) : isOfUser(next);
}

function hasAllResults(events: readonly Event[]): boolean {
  const answered = new Set(events.filter(isResult).map(({ tool_call_id: id }) => id));
  return events.every((event) => event.kind !== 'ActionEvent' || answered.has(event.tool_call_id));
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}

import type { Content } from '../event/content.ts';
import type { Observation } from '../event/kinds.ts';
import { clipped, type RenderObservation, renderContent } from '../event/projection.ts';
import type { Tool, ToolEnvironment, ToolFactory } from './tool.ts';
import { askTrait } from './traits.ts';

/** The tools of one conversation, in the order in which the model gets them. */
export interface ToolSet {
  /** The current tools; a factory may replace its own. */
  readonly tools: readonly Tool[];
  get(name: string): Tool | undefined;
  /** What the model sees of an observation, looked up by its kind. */
  readonly render: RenderObservation;
  /** What a condenser may show in place of an old observation; undefined: only the observation itself. */
  hiddenWhenOld(observation: Observation): string | undefined;
  /** Closes every tool, even if one of them fails to close. */
  close(): Promise<void>;
}

/**
 * Creates the tools that a specification names; if several are registered under one name, the last one wins, with a warning. Throws an
 * Error that names the tool if it is not registered, or if two have the same name. `onReplaced` is called with all tools whenever a factory
 * has replaced its own.
 */
export async function createToolSet(
  specs: readonly { readonly name: string; readonly params: { readonly [key: string]: unknown } }[],
  registry: readonly ToolFactory[],
  environment: ToolEnvironment,
  onReplaced: (tools: readonly Tool[]) => void = () => undefined,
): Promise<ToolSet> {
  const factories = specs.map((spec) => {
    const named = registry.filter((each) => each.name === spec.name);
    if (named.length > 1)
      environment.onWarning(`several tools are registered as "${spec.name}": the last one is used`);
    const factory = named.at(-1);
    if (factory === undefined) {
      const known = registry.map((each) => each.name).join(', ');
      throw new Error(`no tool is registered as "${spec.name}"; available: ${known}`);
    }
    return { factory, params: spec.params };
  });
  const lists: (readonly Tool[])[] = [];
  const closers: (() => Promise<void>)[] = [];
  let current: ToolSet | undefined;
  const making: Promise<readonly Tool[]>[] = [];
  for (const [i, { factory, params }] of factories.entries()) {
    const given: ToolEnvironment = {
      ...environment,
      taken: namesOf([...making]),
      replaceTools: (tools) => {
        if (current !== undefined) current = toolSetOf(lists.with(i, tools).flat());
        lists[i] = tools;
        if (current !== undefined) onReplaced(current.tools);
      },
      onClose: (close) => closers.push(close),
    };
    const create = async () => {
      const tools = await make(factory, params, given);
      lists[i] ??= tools;
      return tools;
    };
    making.push(create());
  }
  const made = await Promise.allSettled(making);
  const close = async () => {
    const closed = await Promise.allSettled([
      closeAll(lists.flat()),
      ...closers.map(async (each) => await each()),
    ]);
    for (const each of closed) {
      if (each.status === 'rejected')
        environment.onWarning(`a tool could not be closed: ${String(each.reason)}`);
    }
  };
  try {
    const failed = made.find((each) => each.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    const first = toolSetOf(lists.flat());
    current = first;
    const now = () => current ?? first;
    return {
      get tools() {
        return now().tools;
      },
      get: (name) => now().get(name),
      render: withinChars((observation) => now().render(observation), environment.maxResultChars),
      hiddenWhenOld: (observation) => now().hiddenWhenOld(observation),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** V0's default, which the reference stores in every folder without applying it. Tools that may say more limit themselves to it. */
const LIMIT_OF_TOOLS = 30_000;

function withinChars(render: RenderObservation, limit: number = LIMIT_OF_TOOLS): RenderObservation {
  if (limit === LIMIT_OF_TOOLS) return render;
  return (observation) => render(observation).map((block) => clipped(block, limit));
}

/** A factory that fails has no names; the failure is reported where its tools are awaited. */
async function namesOf(making: readonly Promise<readonly Tool[]>[]): Promise<readonly string[]> {
  const made = await Promise.allSettled(making);
  return made.flatMap((each) => (each.status === 'fulfilled' ? each.value.map(({ name }) => name) : []));
}

async function make(
  factory: ToolFactory,
  { response_schema: schema, ...params }: { readonly [key: string]: unknown },
  environment: ToolEnvironment,
): Promise<readonly Tool[]> {
  const tools = await factory.create(environment, params);
  if (schema === undefined || schema === null) return tools;
  try {
    const [tool, ...others] = tools;
    if (tool === undefined || others.length > 0) {
      throw new Error(
        `response_schema of "${factory.name}": it makes ${tools.length} tools, and must make one`,
      );
    }
    const { withResponseSchema } = await import('./response-schema.ts');
    return [await withResponseSchema(tool, schema)];
  } catch (error) {
    await closeAll(tools).catch(() => undefined); // the reason for closing them is reported below
    throw error;
  }
}

/** A set of tools. Throws an Error that names the tool if two have the same name. */
export function toolSetOf(tools: readonly Tool[]): ToolSet {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    if (byName.has(tool.name)) throw new Error(`two tools are called "${tool.name}"`);
    byName.set(tool.name, tool);
  }
  const byObservation = new Map(tools.map((tool) => [tool.kind.observation, tool]));
  return {
    tools,
    get: (name) => byName.get(name),
    render: (observation: Observation) =>
      rendered(byObservation.get(observation.kind), observation) ?? renderContent(observation),
    hiddenWhenOld: (observation) =>
      askTrait(() => byObservation.get(observation.kind)?.hiddenWhenOld?.(observation)),
    close: () => closeAll(tools),
  };
}

/** Undefined if the tool cannot render what another version of it stored. */
function rendered(tool: Tool | undefined, observation: Observation): readonly Content[] | undefined {
  try {
    const content = tool?.render?.(observation);
    return Array.isArray(content) ? content : undefined;
  } catch {
    return undefined;
  }
}

/** Closes all tools, then rejects with the first failure. */
async function closeAll(tools: readonly Tool[]): Promise<void> {
  const closed = await Promise.allSettled(tools.map(async (tool) => await tool.close?.()));
  const failed = closed.find((each) => each.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

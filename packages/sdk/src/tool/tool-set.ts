import type { Observation } from '../event/kinds.ts';
import { type RenderObservation, renderContent } from '../event/projection.ts';
import type { Tool, ToolEnvironment, ToolFactory } from './tool.ts';

/** The tools of one conversation, by name, in the order in which the model is told of them. */
export interface ToolSet {
  readonly tools: readonly Tool[];
  get(name: string): Tool | undefined;
  /** What the model sees of any observation, by its kind. */
  readonly render: RenderObservation;
  /** Closes every tool; a failure of one does not keep the others from it. */
  close(): Promise<void>;
}

/**
 * Makes the tools that a specification names. Throws an Error naming the tool if it is not registered, or if two have
 * the same name.
 */
export async function createToolSet(
  specs: readonly { readonly name: string; readonly params: { readonly [key: string]: unknown } }[],
  registry: readonly ToolFactory[],
  environment: ToolEnvironment,
): Promise<ToolSet> {
  const factories = specs.map((spec) => {
    const factory = registry.find((each) => each.name === spec.name);
    if (factory === undefined) {
      const known = registry.map((each) => each.name).join(', ');
      throw new Error(`no tool is registered as "${spec.name}"; there are: ${known}`);
    }
    return { factory, params: spec.params };
  });
  const made = await Promise.allSettled(
    factories.map(async ({ factory, params }) => await factory.create(environment, params)),
  );
  const tools = made.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  try {
    const failed = made.find((each) => each.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return toolSetOf(tools);
  } catch (error) {
    await closeAll(tools);
    throw error;
  }
}

/** Throws an Error naming the tool if two have the same name. */
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
      byObservation.get(observation.kind)?.render?.(observation) ?? renderContent(observation),
    close: () => closeAll(tools),
  };
}

async function closeAll(tools: readonly Tool[]): Promise<void> {
  await Promise.allSettled(tools.map(async (tool) => await tool.close?.()));
}

/**
 * Adapts tools of other frameworks. The arguments are stored in `data` of the action, separate from its `kind`, so that a parameter may
 * have any name; every call has one result, whatever the tool does.
 */
import { defined } from '../../value/defined.ts';
import { defineTool } from '../define-tool.ts';
import type { Tool, ToolEnvironment, ToolFactory } from '../tool.ts';
import type { Arguments } from '../traits.ts';
import { actionOf, adaptedKind } from './action.ts';
import { approvalOf } from './approval.ts';
import { executorOf } from './executor.ts';
import type { AdaptOptions } from './format.ts';
import { type ReadTool, readTool } from './read-tool.ts';
import { safeToolName } from './tool-name.ts';

/**
 * Adapts one tool of another framework, ready to be registered. Throws an Error that lists the formats if it has none of them, and one
 * that names the tool if it cannot run here.
 */
export async function adaptTool(foreign: object, options: AdaptOptions = {}): Promise<ToolFactory> {
  const read = await readTool(foreign, options);
  return {
    name: safeToolName(read.name),
    create: async (environment) => {
      if ((await read.foreign.isEnabled?.()) === false) return [];
      return [asRecorded(toolOf(read, options, environment.onWarning), environment)];
    },
  };
}

/** The kinds that earlier versions gave to every adapted tool. */
const EARLIER: Tool['kind'] = {
  tool: 'AdaptedTool',
  action: 'AdaptedToolAction',
  observation: 'AdaptedToolObservation',
};

/** In a replay, the tool has the kinds that it had when the conversation was recorded. */
function asRecorded(tool: Tool, { described = [] }: ToolEnvironment): Tool {
  const title = tool.annotations.title ?? tool.name;
  const isEarlier = described.some((each) => each['title'] === title && each.kind === EARLIER.tool);
  return isEarlier ? { ...tool, kind: EARLIER } : tool;
}

/** Adapts all tools of a list, or of an object by name as in the AI SDK. The options apply to each of them. */
export async function adaptTools(
  tools: Iterable<object> | { readonly [name: string]: object },
  options: Omit<AdaptOptions, 'name' | 'description' | 'parameters'> = {},
): Promise<readonly ToolFactory[]> {
  const list: readonly (readonly [AdaptOptions, object])[] =
    Symbol.iterator in tools
      ? Array.from(tools as Iterable<object>, (tool) => [options, tool] as const)
      : Object.entries(tools).map(([name, tool]) => [{ ...options, name }, tool]);
  return await Promise.all(list.map(([each, tool]) => adaptTool(tool, each)));
}

function toolOf(read: ReadTool, options: AdaptOptions, onWarning: ToolEnvironment['onWarning']): Tool {
  const { foreign, name } = read;
  const { resources, title, annotations, endsRun = foreign.endsRun } = options;
  return defineTool<Arguments>({
    name: safeToolName(name),
    kind: adaptedKind(name),
    description: foreign.description === '' ? `The tool ${name}.` : foreign.description,
    input: actionOf(read).input,
    wrapsInput: true,
    annotations: { ...foreign.annotations, ...annotations, ...defined({ title }) },
    ...defined({ endsRun, resources }),
    ...approvalOf(foreign, options),
    ...(foreign.close === undefined ? {} : { close: async () => await foreign.close?.() }),
    run: executorOf(read, options, onWarning),
  });
}

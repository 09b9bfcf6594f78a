import {
  createToolSet,
  DEFAULT_TOOLS,
  describedTools,
  modelInfoOf,
  openLocalWorkspace,
  type ReadOptions,
  readBaseState,
  readConversation,
  toolSchema,
  toolSpecsOf,
} from '@longhand/sdk';
import { builtinTools } from '@longhand/tools';
import type { LineOptions } from '../view/lines.ts';

/** The tools know how the model and people see their observations, and what is told of them; none is run for that. */
export async function toolKnowledge(
  directory: string,
): Promise<Required<Pick<ReadOptions, 'render' | 'toolSchemas'> & Pick<LineOptions, 'tool'>>> {
  const { agent, workingDir = directory } = readBaseState(directory) ?? {};
  const stored = await readConversation(directory);
  const described = describedTools(Iterator.from(stored.log.read()).map(([, event]) => event));
  await stored.close();
  const { vision, briefTools } =
    agent === undefined ? { vision: true, briefTools: false } : modelInfoOf(agent.llm);
  const workspace = openLocalWorkspace(workingDir);
  // A conversation of another program may have tools that are not ours.
  const specs = (agent === undefined ? DEFAULT_TOOLS : toolSpecsOf(agent)).filter(({ name }) =>
    builtinTools.some((tool) => tool.name === name),
  );
  const tools = await createToolSet(specs, builtinTools, {
    workspace,
    directory,
    vision,
    onWarning: () => undefined,
    inert: true,
    described,
  });
  await tools.close();
  await workspace.close();
  return {
    tool: tools.get,
    render: tools.render,
    toolSchemas: tools.tools.map((each) => toolSchema(each, briefTools)),
  };
}

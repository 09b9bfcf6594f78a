import { openLocalWorkspace, readConversation } from '@longhand/sdk';
import {
  createToolSet,
  dependsOnRisk,
  describedTools,
  localConversationFiles,
  MCP_TOOLS,
  modelInfoOf,
  type ReadOptions,
  readBaseState,
  type ToolDescription,
  toolSchema,
  toolSpecsOf,
} from '@longhand/sdk/internal';
import { builtinTools, DEFAULT_TOOLS } from '@longhand/tools';
import type { LineOptions } from '../view/lines.ts';

/** The tools know how the model and people see their observations, and their descriptions. No tool is run for that. */
export async function toolKnowledge(
  directory: string,
): Promise<
  Required<Pick<ReadOptions, 'render' | 'hiddenWhenOld' | 'toolSchemas'> & Pick<LineOptions, 'tool'>>
> {
  const { agent, workingDir = directory, confirmation } = readBaseState(directory) ?? {};
  const { vision, briefTools } =
    agent === undefined ? { vision: true, briefTools: false } : modelInfoOf(agent.llm);
  const requiresRisk = confirmation !== undefined && dependsOnRisk(confirmation);
  // The folder may be gone or on another machine; it is not read.
  const workspace = { ...openLocalWorkspace(directory), root: workingDir };
  // A conversation of another program may use tools that do not exist here.
  const specs = (agent === undefined ? DEFAULT_TOOLS : toolSpecsOf(agent)).filter(({ name }) =>
    builtinTools.some((tool) => tool.name === name),
  );
  const tools = await createToolSet(specs, builtinTools, {
    workspace,
    files: localConversationFiles(directory),
    vision,
    maxResultChars: agent?.llm.limits?.maxMessageChars,
    onWarning: () => undefined,
    inert: true,
    // Tools of MCP servers are described nowhere else.
    ...(specs.some(({ name }) => name === MCP_TOOLS) ? { described: await describedIn(directory) } : {}),
  });
  await tools.close();
  await workspace.close();
  return {
    tool: tools.get,
    render: tools.render,
    hiddenWhenOld: tools.hiddenWhenOld,
    toolSchemas: tools.tools.map((each) => toolSchema(each, { brief: briefTools, requiresRisk })),
  };
}

async function describedIn(directory: string): Promise<readonly ToolDescription[]> {
  const stored = await readConversation(directory);
  try {
    return describedTools(Iterator.from(stored.log.read()).map(([, event]) => event));
  } finally {
    await stored.close();
  }
}

/** The built-in tools and agents. */
import type { ToolFactory } from '@longhand/sdk';
import { MCP_TOOLS } from '@longhand/sdk/internal';
import { fileEditorTool } from './file-editor/tool.ts';
import { finishTool } from './finish.ts';
import { lazily } from './lazily.ts';
import { renamed } from './renamed.ts';
import { taskTrackerTool } from './task-tracker.ts';
import { terminalTool } from './terminal/tool.ts';
import { thinkTool } from './think.ts';
import { withoutParams } from './tool-params.ts';

export { agentMeant, builtinAgents, DEFAULT_AGENT, DEFAULT_TOOLS } from './agents.ts';
export { fromClaude } from './agents-of-claude.ts';
export { renamed } from './renamed.ts';
export { switchTools, TOOL_SWITCHES, type ToolSwitches } from './tool-switches.ts';
export { fileEditorTool, finishTool, taskTrackerTool, terminalTool, thinkTool };

/** Every tool of this package, by the name that an agent's specification uses; a tool's code is loaded when it is named. */
export const builtinTools: readonly ToolFactory[] = [
  terminalTool,
  fileEditorTool,
  lazily('execute_ipython_cell', async () => (await import('./ipython/tool.ts')).ipythonTool),
  withoutParams(taskTrackerTool),
  withoutParams(finishTool),
  withoutParams(thinkTool),
  withoutParams(
    lazily(
      'request_condensation',
      async () => (await import('./request-condensation.ts')).requestCondensationTool,
    ),
  ),
  withoutParams(
    lazily('task_tool_set', async () => (await import('./task.ts')).taskToolSet, { delegates: true }),
  ),
  lazily('invoke_skill', async () => (await import('./invoke-skill.ts')).invokeSkillTool),
  lazily('switch_llm', async () => (await import('./switch-llm.ts')).switchLlmTool),
  withoutParams(
    lazily('inspect_image_with_vision', async () => (await import('./inspect-image.ts')).inspectImageTool),
  ),
  withoutParams(lazily('apply_patch', async () => (await import('./apply-patch/tool.ts')).applyPatchTool)),
  withoutParams(lazily('grep', async () => (await import('./search/grep.ts')).grepTool)),
  withoutParams(lazily('glob', async () => (await import('./search/glob.ts')).globTool)),
  withoutParams(lazily('view', async () => (await import('./view.ts')).viewTool)),
  withoutParams(lazily('read_file', async () => (await import('./gemini/read-file.ts')).readFileTool)),
  withoutParams(lazily('write_file', async () => (await import('./gemini/write-file.ts')).writeFileTool)),
  withoutParams(lazily('edit', async () => (await import('./gemini/edit.ts')).editTool)),
  withoutParams(
    lazily('list_directory', async () => (await import('./gemini/list-directory.ts')).listDirectoryTool),
  ),
  lazily(
    'planning_file_editor',
    async () => (await import('./planning-file-editor.ts')).planningFileEditorTool,
  ),
  lazily('edit_file', async () => (await import('./edit-file/tool.ts')).editFileTool),
  lazily(MCP_TOOLS, async () => (await import('./mcp/tool.ts')).mcpTools),
  withoutParams(lazily('fetch', async () => (await import('./fetch/tool.ts')).fetchTool)),
  lazily('browser', async () => (await import('./browser/code-tool/tool.ts')).browserTool),
  lazily('browser_tool_set', async () => (await import('./browser/tool-set/tool-set.ts')).browserToolSet),
  renamed(terminalTool, 'execute_bash'),
  renamed(fileEditorTool, 'str_replace_editor'),
];

/** The built-in tool with a name. Throws RangeError if there is none. */
export function builtinTool(name: string): ToolFactory {
  const found = builtinTools.find((tool) => tool.name === name);
  if (found === undefined) throw new RangeError(`no tool is called "${name}"`);
  return found;
}

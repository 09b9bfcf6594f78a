/** What an agent can do, to begin with. */
import { MCP_TOOLS, type ToolFactory } from '@longhand/sdk';
import { fileEditorTool } from './file-editor/tool.ts';
import { finishTool } from './finish.ts';
import { loadedWhenNamed } from './loaded-when-named.ts';
import { renamed } from './renamed.ts';
import { taskTrackerTool } from './task-tracker.ts';
import { terminalTool } from './terminal/tool.ts';
import { thinkTool } from './think.ts';
import { withoutParams } from './tool-params.ts';

export { AGENT_ALIASES, builtinAgents, DEFAULT_TOOLS } from './agents.ts';
export { renamed } from './renamed.ts';
export { fileEditorTool, finishTool, taskTrackerTool, terminalTool, thinkTool };

export const inspectImageTool = loadedWhenNamed(
  'inspect_image_with_vision',
  async () => (await import('./inspect-image.ts')).inspectImageTool,
);
export const invokeSkillTool = loadedWhenNamed(
  'invoke_skill',
  async () => (await import('./invoke-skill.ts')).invokeSkillTool,
);
export const requestCondensationTool = loadedWhenNamed(
  'request_condensation',
  async () => (await import('./request-condensation.ts')).requestCondensationTool,
);
export const switchLlmTool = loadedWhenNamed(
  'switch_llm',
  async () => (await import('./switch-llm.ts')).switchLlmTool,
);
export const taskToolSet = loadedWhenNamed(
  'task_tool_set',
  async () => (await import('./task.ts')).taskToolSet,
  { delegates: true },
);
export const applyPatchTool = loadedWhenNamed(
  'apply_patch',
  async () => (await import('./apply-patch/tool.ts')).applyPatchTool,
);
export const browserTool = loadedWhenNamed(
  'browser',
  async () => (await import('./browser/code-tool/tool.ts')).browserTool,
);
export const browserToolSet = loadedWhenNamed(
  'browser_tool_set',
  async () => (await import('./browser/tool-set/tool-set.ts')).browserToolSet,
);
export const editFileTool = loadedWhenNamed(
  'edit_file',
  async () => (await import('./edit-file/tool.ts')).editFileTool,
);
export const editTool = loadedWhenNamed('edit', async () => (await import('./gemini/edit.ts')).editTool);
export const fetchTool = loadedWhenNamed('fetch', async () => (await import('./fetch/tool.ts')).fetchTool);
export const globTool = loadedWhenNamed('glob', async () => (await import('./search/glob.ts')).globTool);
export const grepTool = loadedWhenNamed('grep', async () => (await import('./search/grep.ts')).grepTool);
export const ipythonTool = loadedWhenNamed(
  'execute_ipython_cell',
  async () => (await import('./ipython/tool.ts')).ipythonTool,
);
export const listDirectoryTool = loadedWhenNamed(
  'list_directory',
  async () => (await import('./gemini/list-directory.ts')).listDirectoryTool,
);
export const mcpTools = loadedWhenNamed(MCP_TOOLS, async () => (await import('./mcp/tool.ts')).mcpTools);
export const planningFileEditorTool = loadedWhenNamed(
  'planning_file_editor',
  async () => (await import('./planning-file-editor.ts')).planningFileEditorTool,
);
export const readFileTool = loadedWhenNamed(
  'read_file',
  async () => (await import('./gemini/read-file.ts')).readFileTool,
);
export const viewTool = loadedWhenNamed('view', async () => (await import('./view.ts')).viewTool);
export const writeFileTool = loadedWhenNamed(
  'write_file',
  async () => (await import('./gemini/write-file.ts')).writeFileTool,
);

export const builtinTools: readonly ToolFactory[] = [
  terminalTool,
  fileEditorTool,
  ipythonTool,
  withoutParams(taskTrackerTool),
  withoutParams(finishTool),
  withoutParams(thinkTool),
  withoutParams(requestCondensationTool),
  withoutParams(taskToolSet),
  invokeSkillTool,
  switchLlmTool,
  withoutParams(inspectImageTool),
  withoutParams(applyPatchTool),
  withoutParams(grepTool),
  withoutParams(globTool),
  withoutParams(viewTool),
  withoutParams(readFileTool),
  withoutParams(writeFileTool),
  withoutParams(editTool),
  withoutParams(listDirectoryTool),
  planningFileEditorTool,
  editFileTool,
  mcpTools,
  withoutParams(fetchTool),
  browserTool,
  browserToolSet,
  renamed(terminalTool, 'execute_bash'),
  renamed(fileEditorTool, 'str_replace_editor'),
];

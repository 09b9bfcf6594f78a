/** What an agent can do, to begin with. */
import type { ToolFactory } from '@longhand/sdk';
import { applyPatchTool } from './apply-patch/tool.ts';
import { editFileTool } from './edit-file/tool.ts';
import { fileEditorTool } from './file-editor/tool.ts';
import { finishTool } from './finish.ts';
import { editTool } from './gemini/edit.ts';
import { listDirectoryTool } from './gemini/list-directory.ts';
import { readFileTool } from './gemini/read-file.ts';
import { writeFileTool } from './gemini/write-file.ts';
import { inspectImageTool } from './inspect-image.ts';
import { invokeSkillTool } from './invoke-skill.ts';
import { planningFileEditorTool } from './planning-file-editor.ts';
import { renamed } from './renamed.ts';
import { requestCondensationTool } from './request-condensation.ts';
import { globTool } from './search/glob.ts';
import { grepTool } from './search/grep.ts';
import { switchLlmTool } from './switch-llm.ts';
import { taskToolSet } from './task.ts';
import { taskTrackerTool } from './task-tracker.ts';
import { terminalTool } from './terminal/tool.ts';
import { thinkTool } from './think.ts';
import { viewTool } from './view.ts';

export { AGENT_ALIASES, builtinAgents } from './agents.ts';
export { renamed } from './renamed.ts';
export {
  applyPatchTool,
  editFileTool,
  editTool,
  fileEditorTool,
  finishTool,
  globTool,
  grepTool,
  inspectImageTool,
  invokeSkillTool,
  listDirectoryTool,
  planningFileEditorTool,
  readFileTool,
  requestCondensationTool,
  switchLlmTool,
  taskToolSet,
  taskTrackerTool,
  terminalTool,
  thinkTool,
  viewTool,
  writeFileTool,
};

export const builtinTools: readonly ToolFactory[] = [
  terminalTool,
  fileEditorTool,
  taskTrackerTool,
  finishTool,
  thinkTool,
  requestCondensationTool,
  taskToolSet,
  invokeSkillTool,
  switchLlmTool,
  inspectImageTool,
  applyPatchTool,
  grepTool,
  globTool,
  viewTool,
  readFileTool,
  writeFileTool,
  editTool,
  listDirectoryTool,
  planningFileEditorTool,
  editFileTool,
  renamed(terminalTool, 'execute_bash'),
  renamed(fileEditorTool, 'str_replace_editor'),
];

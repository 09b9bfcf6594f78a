/** What an agent can do, to begin with. */
import type { ToolFactory } from '@longhand/sdk';
import { applyPatchTool } from './apply-patch/tool.ts';
import { fileEditorTool } from './file-editor/tool.ts';
import { finishTool } from './finish.ts';
import { inspectImageTool } from './inspect-image.ts';
import { invokeSkillTool } from './invoke-skill.ts';
import { renamed } from './renamed.ts';
import { requestCondensationTool } from './request-condensation.ts';
import { globTool } from './search/glob.ts';
import { grepTool } from './search/grep.ts';
import { switchLlmTool } from './switch-llm.ts';
import { taskToolSet } from './task.ts';
import { taskTrackerTool } from './task-tracker.ts';
import { terminalTool } from './terminal/tool.ts';
import { thinkTool } from './think.ts';

export { AGENT_ALIASES, builtinAgents } from './agents.ts';
export { renamed } from './renamed.ts';
export {
  applyPatchTool,
  fileEditorTool,
  finishTool,
  globTool,
  grepTool,
  inspectImageTool,
  invokeSkillTool,
  requestCondensationTool,
  switchLlmTool,
  taskToolSet,
  taskTrackerTool,
  terminalTool,
  thinkTool,
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
  renamed(terminalTool, 'execute_bash'),
  renamed(fileEditorTool, 'str_replace_editor'),
];

/** What an agent can do, to begin with. */
import type { ToolFactory } from '@longhand/sdk';
import { fileEditorTool } from './file-editor/tool.ts';
import { finishTool } from './finish.ts';
import { renamed } from './renamed.ts';
import { requestCondensationTool } from './request-condensation.ts';
import { taskToolSet } from './task.ts';
import { taskTrackerTool } from './task-tracker.ts';
import { terminalTool } from './terminal/tool.ts';
import { thinkTool } from './think.ts';

export { AGENT_ALIASES, builtinAgents } from './agents.ts';
export { renamed } from './renamed.ts';
export {
  fileEditorTool,
  finishTool,
  requestCondensationTool,
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
  renamed(terminalTool, 'execute_bash'),
  renamed(fileEditorTool, 'str_replace_editor'),
];

/** What an agent can do, to begin with. */
import type { ToolFactory } from '@longhand/sdk';
import { fileEditorTool } from './file-editor/tool.ts';
import { finishTool } from './finish.ts';
import { requestCondensationTool } from './request-condensation.ts';
import { taskTrackerTool } from './task-tracker.ts';
import { terminalTool } from './terminal/tool.ts';
import { thinkTool } from './think.ts';

export { fileEditorTool, finishTool, requestCondensationTool, taskTrackerTool, terminalTool, thinkTool };

export const builtinTools: readonly ToolFactory[] = [
  terminalTool,
  fileEditorTool,
  taskTrackerTool,
  finishTool,
  thinkTool,
  requestCondensationTool,
];

import type { ToolDescription } from '../event/kinds.ts';
import { defined } from '../value/defined.ts';
import type { Tool } from './tool.ts';

/** A tool as it is stored in a SystemPromptEvent: with the reference's class names, without its own name, `kind` and title last. */
export function describeTool(tool: Tool): ToolDescription {
  const { title, ...hints } = tool.annotations;
  return {
    description: tool.description,
    action_type: tool.kind.action,
    observation_type: tool.kind.observation,
    annotations: { ...defined({ title }), ...hints },
    ...tool.describe,
    kind: tool.kind.tool,
    title: title ?? tool.name,
  };
}

import type { AgentDefinition, ToolSpec } from '@longhand/sdk';

/** The tools of Claude Code, and those of ours that do the same; null for those that have no counterpart. */
const TOOLS: { readonly [name: string]: readonly string[] | null } = {
  Bash: ['terminal'],
  BashOutput: ['terminal'],
  KillShell: ['terminal'],
  Read: ['view'],
  LS: ['view'],
  Edit: ['file_editor'],
  MultiEdit: ['file_editor'],
  Write: ['file_editor'],
  NotebookEdit: ['file_editor'],
  NotebookRead: ['view'],
  Grep: ['grep'],
  Glob: ['glob'],
  WebFetch: ['fetch'],
  WebSearch: null,
  TodoWrite: ['task_tracker'],
  Task: ['task_tool_set'],
  Skill: ['invoke_skill'],
};

/** Models of Claude Code by their short names, which name no stored profile. */
const MODELS = new Set(['sonnet', 'opus', 'haiku']);

/**
 * An agent that may be written for Claude Code: its tools are replaced by ours, tools of MCP servers (`mcp__...`) and those without a
 * counterpart are left out, and its short names of models mean the conversation's model. Another agent is returned as it is.
 */
export function fromClaude(definition: AgentDefinition): AgentDefinition {
  const { model, tools, ...rest } = definition;
  return {
    ...rest,
    ...(model === undefined || MODELS.has(model) ? {} : { model }),
    ...(tools === undefined ? {} : { tools: ourTools(tools) }),
  };
}

function ourTools(tools: readonly ToolSpec[]): readonly ToolSpec[] {
  const meant = tools.flatMap((tool): readonly ToolSpec[] => {
    // `Bash(git diff:*)` limits what needs no consent; every call is subject to our own policy.
    const name = tool.name.replace(/\(.*$/, '');
    if (name.startsWith('mcp__')) return [];
    if (!Object.hasOwn(TOOLS, name)) return [tool];
    return (TOOLS[name] ?? []).map((ours) => ({ name: ours, params: {} }));
  });
  const names = new Set(meant.map(({ name }) => name));
  if (names.has('file_editor')) names.delete('view'); // it views files too
  return meant.filter(({ name }) => names.delete(name));
}

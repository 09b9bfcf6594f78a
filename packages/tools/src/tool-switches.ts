/** V0's switches of an agent's tools (`[agent]` of its configuration). */
import type { ToolSpec } from '@longhand/sdk';

/** What each switch is about: the tool that it adds, then the other tools that it removes. */
export const TOOL_SWITCHES = {
  enable_cmd: ['terminal', 'execute_bash'],
  enable_editor: ['file_editor', 'str_replace_editor'],
  enable_llm_editor: ['edit_file'],
  enable_jupyter: ['execute_ipython_cell'],
  enable_browsing: ['browser', 'browser_tool_set', 'fetch'],
  enable_condensation_request: ['request_condensation'],
  enable_think: ['think'],
  enable_finish: ['finish'],
  enable_plan_mode: ['task_tracker'],
} as const satisfies { readonly [key: string]: readonly [string, ...string[]] };

/** Whether each switch is on; one that is absent leaves the tools as they are. */
/** Switches that are set, by V0's names; one that is absent leaves its tools as they are. */
export type ToolSwitches = { readonly [K in keyof typeof TOOL_SWITCHES]?: boolean };

const SWITCHES = Object.entries(TOOL_SWITCHES) as readonly [keyof ToolSwitches, readonly [string]][];
const EDITORS: readonly string[] = TOOL_SWITCHES.enable_editor;

/**
 * The tools of an agent after its switches: false removes a tool under all of its names, and true adds it if `mayAdd`. With
 * `enable_llm_editor`, `edit_file` takes the place of the file editor.
 */
export function switchTools(
  tools: readonly ToolSpec[],
  switches: ToolSwitches,
  { mayAdd }: { readonly mayAdd: boolean },
): readonly ToolSpec[] {
  const edits = tools.some(({ name }) => EDITORS.includes(name)) && switches.enable_llm_editor === true;
  const swapped = edits ? withDraftEditor(tools) : tools;
  const off: readonly string[] = SWITCHES.flatMap(([key, names]) => (switches[key] === false ? names : []));
  const kept = swapped.filter(({ name }) => !off.includes(name));
  const added = SWITCHES.filter(
    ([key, names]) =>
      mayAdd &&
      switches[key] === true &&
      !(key === 'enable_editor' && switches.enable_llm_editor === true) &&
      !kept.some(({ name }) => names.includes(name)),
  );
  return inOrder([...kept, ...added.map(([, [name]]) => ({ name, params: {} }))], added.length > 0);
}

/** The tools that end a conversation's list when it is stored; a resumed one has the same order, so that caches of the prompt hit. */
const LAST: readonly string[] = ['finish', 'think'];

function inOrder(tools: readonly ToolSpec[], isChanged: boolean): readonly ToolSpec[] {
  if (!isChanged) return tools;
  const last = LAST.flatMap((name) => tools.filter((tool) => tool.name === name));
  return [...tools.filter(({ name }) => !LAST.includes(name)), ...last];
}

/** `edit_file` where the first editor was. */
function withDraftEditor(tools: readonly ToolSpec[]): readonly ToolSpec[] {
  const at = tools.findIndex(({ name }) => EDITORS.includes(name));
  return tools.flatMap((tool, i) => {
    if (i === at) return [{ name: TOOL_SWITCHES.enable_llm_editor[0], params: {} }];
    return EDITORS.includes(tool.name) || tool.name === TOOL_SWITCHES.enable_llm_editor[0] ? [] : [tool];
  });
}

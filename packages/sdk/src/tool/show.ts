import type { Action, Observation } from '../event/kinds.ts';
import type { Tool } from './tool.ts';

/** What people see of a call; undefined if the tool has nothing to say of it. */
export function shownCall(tool: Tool | undefined, { kind: _kind, ...fields }: Action): string | undefined {
  const input = tool?.wrapsInput === true ? fields['data'] : fields;
  return said(() => tool?.show?.call?.(input as object));
}

/** What people see of a result; undefined if the tool has nothing to say of it. */
export function shownResult(tool: Tool | undefined, observation: Observation): string | undefined {
  return said(() => tool?.show?.result?.(observation));
}

/** What was stored may be of another version of the tool: what it cannot show is shown as it is. */
function said(show: () => string | undefined): string | undefined {
  try {
    return show();
  } catch {
    return undefined;
  }
}

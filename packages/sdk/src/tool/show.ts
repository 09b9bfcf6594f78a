import type { Action, Observation } from '../event/kinds.ts';
import type { Tool } from './tool.ts';
import { askTrait } from './traits.ts';

/** What people see of a call; undefined if the tool has nothing to say of it. */
export function shownCall(tool: Tool | undefined, { kind: _kind, ...fields }: Action): string | undefined {
  const input = tool?.wrapsInput === true ? fields['data'] : fields;
  return askTrait(() => tool?.show?.call?.(input as object));
}

/** What people see of a result; undefined if the tool has nothing to say of it, or cannot read what another version stored. */
export function shownResult(tool: Tool | undefined, observation: Observation): string | undefined {
  return askTrait(() => tool?.show?.result?.(observation));
}

import type { Action, Observation } from '../event/kinds.ts';
import type { Tool } from './tool.ts';
import { askTrait } from './traits.ts';

/** The text that people see for a call; undefined if the tool defines none. */
export function shownCall(tool: Tool | undefined, { kind: _kind, ...fields }: Action): string | undefined {
  const input = tool?.wrapsInput === true ? fields['data'] : fields;
  return askTrait(() => tool?.show?.call?.(input as object));
}

/** The text that people see for a result; undefined if the tool defines none, or cannot read what another version stored. */
export function shownResult(tool: Tool | undefined, observation: Observation): string | undefined {
  return askTrait(() => tool?.show?.result?.(observation));
}

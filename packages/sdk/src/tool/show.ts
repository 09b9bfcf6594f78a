import type { Action, Observation } from '../event/kinds.ts';
import { inputOf } from './input-of.ts';
import type { Tool } from './tool.ts';
import { askTrait } from './traits.ts';

/** The text that people see for a call; undefined if the tool defines none. */
export function shownCall(tool: Tool | undefined, action: Action): string | undefined {
  return askTrait(() => tool?.show?.call?.(inputOf(tool, action)));
}

/** The text that people see for a result; undefined if the tool defines none, or cannot read what another version stored. */
export function shownResult(tool: Tool | undefined, observation: Observation): string | undefined {
  return askTrait(() => tool?.show?.result?.(observation));
}

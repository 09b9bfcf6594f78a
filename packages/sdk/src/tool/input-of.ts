import type { Action } from '../event/kinds.ts';
import type { Tool } from './tool.ts';

/** The input of a stored action, as the tool's schema returned it. */
export function inputOf(
  { wrapsInput }: Pick<Tool, 'wrapsInput'>,
  { kind: _kind, ...fields }: Action,
): object {
  return wrapsInput === true ? (fields['data'] as object) : fields;
}

import { unwritable } from '../event/unwritable.ts';
import { isForeignInput, type Tool, ToolError } from './tool.ts';

/** The arguments as the tool's schema yields them. Throws ToolError that names parameters, and never their values. */
export function validInput(tool: Pick<Tool, 'name' | 'input'>, args: object): object {
  try {
    const checked = checkedInput(tool, args);
    const fault = unwritable(checked);
    if (fault === undefined) return checked;
    throw new TypeError(`the schema makes of them what cannot be stored: ${fault}`);
  } catch (error) {
    if (error instanceof ToolError) throw error;
    // A check of the tool's own that fails is not the model's fault, and must not end the run.
    throw new ToolError(
      `The arguments of ${tool.name} could not be checked: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function checkedInput({ name, input }: Pick<Tool, 'name' | 'input'>, args: object): object {
  if (isForeignInput(input)) return input.parse(args);
  const checked = input.safeParse(args);
  if (checked.success) return checked.data;
  const faults = checked.error.issues.map((issue) => {
    const where = issue.path.map(String).join('.');
    return where === '' ? issue.message : `${where}: ${issue.message}`;
  });
  const given = Object.keys(args).join(', ') || 'none';
  throw new ToolError(`The arguments of ${name} are not valid (given: ${given}). ${faults.join('; ')}`);
}

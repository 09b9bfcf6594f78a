import { isForeignInput, type Tool, ToolError } from './tool.ts';

/** The arguments as the tool's schema yields them. Throws ToolError that names parameters, and never their values. */
export function validInput({ name, input }: Pick<Tool, 'name' | 'input'>, args: object): object {
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

import type * as z from 'zod';
import { unwritable } from '../event/unwritable.ts';
import { InvalidArguments } from './invalid-arguments.ts';
import { isForeignInput, type Tool, ToolError } from './tool.ts';

/** The arguments as the tool's schema returns them. Throws ToolError that names parameters, never their values. */
export function validInput(tool: Pick<Tool, 'name' | 'input'>, args: object): object {
  try {
    const checked = checkedInput(tool, args);
    const fault = unwritable(checked);
    if (fault === undefined) return checked;
    throw new TypeError(`the schema turns them into a value that cannot be stored: ${fault}`);
  } catch (error) {
    if (error instanceof InvalidArguments) throw error.of(tool.name);
    if (error instanceof ToolError) throw error;
    // A custom check that fails is not the model's fault and must not end the run.
    throw new ToolError(
      `The arguments of ${tool.name} could not be checked: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function checkedInput({ input }: Pick<Tool, 'input'>, args: object): object {
  if (isForeignInput(input)) return input.parse(args);
  const { shape, def } = input as Partial<z.ZodObject>;
  const isClosed = shape !== undefined && def?.catchall === undefined;
  const unknown = isClosed ? unknownNames(args, Object.keys(shape)) : undefined;
  const checked = input.safeParse(args);
  if (checked.success && unknown === undefined) return checked.data;
  const faults = (checked.error?.issues ?? []).map(({ path, code, message }) => {
    const where = path.map(String).join('.');
    const isMissing = code === 'invalid_type' && valueAt(args, path) === undefined;
    return where === '' ? message : `${where}: ${isMissing ? 'is missing' : message}`;
  });
  const all = unknown === undefined ? faults : [...faults, unknown];
  throw new InvalidArguments(all.join('; '), args);
}

function valueAt(args: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (at as { readonly [key: PropertyKey]: unknown } | null)?.[key],
    args,
  );
}

/** zod ignores unknown parameters, and the model would believe that they had an effect. */
export function unknownNames(args: object, known: readonly string[]): string | undefined {
  const unknown = Object.keys(args).filter((name) => !known.includes(name));
  if (unknown.length === 0) return undefined;
  const takes = known.length === 0 ? 'takes none' : `takes ${known.join(', ')}`;
  return `${unknown.join(', ')}: no such parameter, it ${takes}`;
}

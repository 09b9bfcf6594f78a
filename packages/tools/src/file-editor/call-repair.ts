import type { Arguments, NamedCall } from '@longhand/sdk/internal';

const ALIASES = new Set(['str_replace', 'str_replace_editor']);

/** The arguments of the editor for a call under another name; undefined if it does not mean the editor. */
export function adoptCall({ name, args }: NamedCall): Arguments | undefined {
  return ALIASES.has(name) ? args : undefined;
}

/** Each command with the argument that only it needs, the most telling first. */
const HINTS = [
  ['old_str', 'str_replace'],
  ['insert_line', 'insert'],
  ['file_text', 'create'],
  ['path', 'view'],
] as const;

/** The arguments with the command that they imply, if the model left it out. */
export function inferCommand(args: Arguments): Arguments {
  if (args['command'] !== undefined) return args;
  const command = HINTS.find(([key]) => key in args)?.[1];
  return command === undefined ? args : { command, ...args };
}

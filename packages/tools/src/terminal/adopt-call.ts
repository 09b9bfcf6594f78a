import type { Arguments, NamedCall } from '@longhand/sdk/internal';

/** Names under which models call a shell. */
const ALIASES = new Set(['bash', 'command', 'execute', 'execute_bash', 'git', 'reset']);
/** Commands that models call like a tool; those with arguments of their own have them in `command`. */
const PREFIXING = new Set(['git', 'reset']);
const SHELL_WORDS = new Set(['find', 'git', 'ls', 'pwd']);
/** Arguments that every call may have. */
const COMMON = ['security_risk', 'summary'];

/** The arguments of a terminal for a call under another name; undefined if it does not mean a terminal. */
export function adoptCall({ name, args }: NamedCall): Arguments | undefined {
  if (ALIASES.has(name)) return PREFIXING.has(name) ? prefixed(name, args) : args;
  const hasOwn = Object.keys(args).some((key) => !COMMON.includes(key));
  if (SHELL_WORDS.has(name) && !hasOwn) return { ...commonOf(args), command: name };
  const { pattern } = args;
  if (name === 'grep' && typeof pattern === 'string')
    return { ...commonOf(args), command: grepCommand(pattern, args) };
  return undefined;
}

function prefixed(name: string, args: Arguments): Arguments {
  const command = typeof args['command'] === 'string' ? args['command'] : '';
  const line = command === name || command.startsWith(`${name} `) ? command : `${name} ${command}`.trim();
  return { ...commonOf(args), command: line };
}

function commonOf(args: Arguments): Arguments {
  return Object.fromEntries(Object.entries(args).filter(([key]) => COMMON.includes(key)));
}

function grepCommand(pattern: string, args: Arguments): string {
  const path = typeof args['path'] === 'string' ? args['path'] : '.';
  const include = typeof args['include'] === 'string' ? ` --include=${quoted(args['include'])}` : '';
  return `grep -rnI${include} -e ${quoted(pattern)} -- ${quoted(path)}`;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

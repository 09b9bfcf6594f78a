/**
 * One rule for the environment: what `--max-time` says, `LONGHAND_MAX_TIME` says too. Flags count before the environment, and
 * that before files. A flag without a value is on for `1` and `true`, off for `0`, `false` and nothing. Several values of one
 * flag stand in one variable with commas between them.
 */

import { UsageError } from '../usage-error.ts';
import type { Flag, ParsedFlags } from './flags.ts';

export type Environment = { readonly [name: string]: string | undefined };

/** These only ask for something to be told. */
const NEVER = ['help', 'version'];

/** Of two that exclude each other, the one that was given counts, whatever the environment says of the other. */
const EXCLUSIVE: readonly (readonly [string, string])[] = [
  ['task', 'file'],
  ['json', 'quiet'],
  ['record', 'replay'],
  ['resume', 'id'],
  ['resume', 'name'],
  ['resume', 'repo'],
  ['resume', 'branch'],
  ['resume', 'replay-trajectory'],
  ['auto-continue', 'no-auto-continue'],
  ['setup', 'no-setup'],
];

/** Undefined for a flag that has none. */
export function variableOf({ name }: Flag): string | undefined {
  return NEVER.includes(name) ? undefined : `LONGHAND_${name.toUpperCase().replaceAll('-', '_')}`;
}

/** What was given, and for the other flags what the environment says. Throws UsageError that names the variable. */
export function withEnvironment(given: ParsedFlags, flags: readonly Flag[], env: Environment): ParsedFlags {
  const values = new Map(given.values);
  const lists = new Map(given.lists);
  for (const flag of flags) {
    const variable = variableOf(flag);
    const words = variable === undefined ? '' : (env[variable] ?? '');
    if (variable === undefined || words === '' || isDecided(flag, given)) continue;
    const value = flag.value === undefined ? isOn(variable, words) : words;
    if (value === false) continue;
    values.set(flag.name, flag.value === 'optional' && words === 'true' ? true : value);
    if (flag.many === true) lists.set(flag.name, words.split(',').filter(Boolean));
  }
  return { ...given, values, lists };
}

/** A message about flags, with the variables in place of those that the environment gave. */
export function inVariables(
  message: string,
  given: ParsedFlags,
  parsed: ParsedFlags,
  flags: readonly Flag[],
): string {
  return message.replace(/--([a-z][a-z-]*)/g, (words, name: string) => {
    const flag = flags.find((each) => each.name === name);
    const variable =
      flag === undefined || given.values.has(name) || !parsed.values.has(name) ? undefined : variableOf(flag);
    return variable === undefined ? words : `$${variable}`;
  });
}

function isDecided({ name }: Flag, { values, positionals }: ParsedFlags): boolean {
  if (values.has(name)) return true;
  if ((name === 'task' || name === 'file') && positionals.length > 0) return true;
  return EXCLUSIVE.some(
    ([one, other]) => (name === one && values.has(other)) || (name === other && values.has(one)),
  );
}

function isOn(variable: string, words: string): boolean {
  if (words === '1' || words === 'true') return true;
  if (words === '0' || words === 'false') return false;
  throw new UsageError(`$${variable} is 1 or 0, not "${words}"`);
}

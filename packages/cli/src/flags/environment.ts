/**
 * One rule for the environment: what `--max-time` sets, `LONGHAND_MAX_TIME` sets too. A flag without a value is on for `1` and
 * `true`, off for `0`, `false` and an empty variable. Several values of one flag are separated by commas.
 */
import { UsageError } from '../usage-error.ts';
import type { Flag, Given } from './flag.ts';

export type Environment = { readonly [name: string]: string | undefined };

/** Undefined for a flag that has none. */
export function variableOf({ name, variable }: Flag): string | undefined {
  return variable === false ? undefined : `LONGHAND_${name.toUpperCase().replaceAll('-', '_')}`;
}

/**
 * The flags of the command line, and from the environment those that it does not give. A flag overrides its variable, and the
 * variables of the flags that it excludes; so are those of `overridden`. Throws UsageError that names the variable.
 */
export function withEnvironment(
  given: Given,
  flags: readonly Flag[],
  env: Environment,
  overridden: readonly string[] = [],
): Given {
  const all = new Map(given);
  const excluded = new Set([...overridden, ...[...given.keys()].flatMap((name) => excludedBy(name, flags))]);
  for (const flag of flags) {
    const variable = variableOf(flag);
    const words = variable === undefined ? undefined : env[variable];
    if (variable === undefined || words === undefined || words === '') continue;
    if (given.has(flag.name) || excluded.has(flag.name)) continue;
    const values = valuesIn(variable, words, flag);
    if (values.length > 0) all.set(flag.name, values);
  }
  return all;
}

function valuesIn(variable: string, words: string, { takes }: Flag): readonly (string | true)[] {
  switch (takes) {
    case 'nothing':
      return isOn(variable, words) ? [true] : [];
    case 'optional':
      return [words === 'true' ? true : words];
    case 'required':
      return [words];
    case 'several':
      return words.split(',').filter(Boolean);
  }
}

function isOn(variable: string, words: string): boolean {
  if (words === '1' || words === 'true') return true;
  if (words === '0' || words === 'false') return false;
  throw new UsageError(`$${variable} must be 1 or 0, not "${words}"`);
}

/** Exclusion is mutual, whichever of the two declares it. */
function excludedBy(name: string, flags: readonly Flag[]): string[] {
  const own = flags.find((flag) => flag.name === name)?.excludes ?? {};
  const others = flags.filter(({ excludes = {} }) => Object.hasOwn(excludes, name));
  return [...Object.keys(own), ...others.map((flag) => flag.name)];
}

/** A message about flags, with the variables in place of the flags that came from the environment. */
export function inVariables(message: string, given: Given, all: Given, flags: readonly Flag[]): string {
  return message.replace(/--([a-z][a-z-]*)/g, (words, name: string) => {
    const flag = flags.find((each) => each.name === name);
    const variable = flag === undefined || given.has(name) || !all.has(name) ? undefined : variableOf(flag);
    return variable === undefined ? words : `$${variable}`;
  });
}

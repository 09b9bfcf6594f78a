/** One entry of the flag table, and what it leads to: a name to look for, and a typed value. */
import { UsageError } from '../usage-error.ts';
import type { Value } from './value.ts';

/** What a command line and the environment gave, by long name and in order; `true` for a flag without a value. */
export type Given = ReadonlyMap<string, readonly (string | true)[]>;

/** What all flags have. `help` is one sentence without a full stop, for help and for the reference page alike. */
export interface FlagFacts {
  /** Long name, without the dashes. */
  readonly name: string;
  readonly short?: string;
  /** Other spellings, such as those of OpenHands V0; without the dashes. */
  readonly aliases?: readonly string[];
  readonly help: string;
  /** As help writes it. */
  readonly default?: string;
  /** A page of `docs/`, with an anchor. */
  readonly page?: string;
  /** Giving it twice is an error; otherwise the last one wins. */
  readonly once?: true;
  /** Flags that must not be given with this one, and why. */
  readonly excludes?: { readonly [flag: string]: string };
  /** A flag that must be given with this one. */
  readonly needs?: string;
  /** Absent: `longhand batch` passes it on to each run. `reads`: it takes it for itself. `refuses`: it decides it for each run. */
  readonly batch?: 'reads' | 'refuses';
  /** `false`: there is no variable for it. */
  readonly variable?: false;
}

export interface Flag<T = unknown> extends FlagFacts {
  /** `optional`: the next word is its value unless that begins with a dash. */
  readonly takes: 'nothing' | 'optional' | 'required' | 'several';
  /** Absent if it takes nothing. */
  readonly value?: Value<unknown>;
  /** `--no-NAME`, if there is such a flag. */
  readonly negative?: Flag<boolean>;
  /** Throws UsageError that names the flag. */
  readonly read: (given: Given) => T;
}

/** On if it is given. */
export function onFlag(facts: FlagFacts): Flag<boolean> {
  return { ...facts, takes: 'nothing', read: (given) => given.has(facts.name) };
}

/** Of several values the last one wins. */
export function valueFlag<T>(value: Value<T>, facts: FlagFacts): Flag<T | undefined> {
  return {
    ...facts,
    takes: 'required',
    value,
    read: (given) => {
      const last = given.get(facts.name)?.at(-1);
      return typeof last === 'string' ? parsed(facts.name, value, last) : undefined;
    },
  };
}

/** May be given more than once; all of them count. */
export function listFlag<T>(value: Value<T>, facts: FlagFacts): Flag<readonly T[] | undefined> {
  return {
    ...facts,
    takes: 'several',
    value,
    read: (given) => given.get(facts.name)?.map((each) => parsed(facts.name, value, String(each))),
  };
}

/** With a value, or `true` without one. */
export function optionalFlag<T>(value: Value<T>, facts: FlagFacts): Flag<T | true | undefined> {
  return {
    ...facts,
    takes: 'optional',
    value,
    read: (given) => {
      const last = given.get(facts.name)?.at(-1);
      return typeof last === 'string' ? parsed(facts.name, value, last) : last;
    },
  };
}

/** The same flag with `--no-NAME` beside it, which reads as `false`. */
export function withNegative<T>(flag: Flag<T>, facts: Omit<FlagFacts, 'name'>): Flag<T | false | undefined> {
  const name = `no-${flag.name}`;
  const negative = onFlag({ ...facts, name, excludes: { [flag.name]: '' } });
  const read = (given: Given) =>
    given.has(flag.name) ? flag.read(given) : given.has(name) ? false : undefined;
  return { ...flag, negative, read };
}

function parsed<T>(name: string, value: Value<T>, words: string): T {
  const found = value.parse(words);
  if (found !== undefined) return found;
  if (words === '') throw new UsageError(`--${name} is empty`);
  throw new UsageError(`--${name} must be ${value.expects}, not "${words}"`);
}

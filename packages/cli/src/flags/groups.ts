/** Flags in named groups, and the typed values that they become. */
import { UsageError } from '../usage-error.ts';
import type { Flag, Given } from './flag.ts';

/** By the member that a flag becomes. */
export type FlagGroup = { readonly [member: string]: Flag };
export type FlagGroups = { readonly [group: string]: FlagGroup };

type Read<F> = F extends Flag<infer T> ? T : never;

/** What a group of flags reads as: a switch is true or false, everything else may be undefined. */
export type OptionsOf<Group extends FlagGroup> = {
  readonly [Member in keyof Group as undefined extends Read<Group[Member]> ? never : Member]: Read<
    Group[Member]
  >;
} & {
  readonly [Member in keyof Group as undefined extends Read<Group[Member]> ? Member : never]?: Read<
    Group[Member]
  >;
};

export type GroupsOf<Groups extends FlagGroups> = {
  readonly [Name in keyof Groups]: OptionsOf<Groups[Name]>;
};

/** All flags of some groups in their order; behind one that has a negative stands that. */
export function flagsIn(groups: FlagGroups): readonly Flag[] {
  return Object.values(groups)
    .flatMap((group) => Object.values(group))
    .flatMap((flag) => (flag.negative === undefined ? [flag] : [flag, flag.negative]));
}

/** Throws UsageError if a value is wrong, or flags do not go together. */
export function readGroups<Groups extends FlagGroups>(groups: Groups, given: Given): GroupsOf<Groups> {
  const read = Object.entries(groups).map(([name, group]) => [name, readGroup(group, given)]);
  checkTogether(flagsIn(groups), given);
  return Object.fromEntries(read);
}

/** Members that are not given are left out. */
function readGroup(group: FlagGroup, given: Given): object {
  const members = Object.entries(group).map(([member, flag]) => [member, flag.read(given)]);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

function checkTogether(flags: readonly Flag[], given: Given): void {
  for (const { name, excludes = {}, needs } of flags.filter((flag) => given.has(flag.name))) {
    const [other, why = ''] = Object.entries(excludes).find(([each]) => given.has(each)) ?? [];
    if (other !== undefined)
      throw new UsageError(`--${name} and --${other} exclude each other${why && `: ${why}`}`);
    if (needs !== undefined && !given.has(needs)) throw new UsageError(`--${name} needs --${needs}`);
  }
}

/** A command: its flags, its other words, its help, and what it does. */
import type { ExitCode } from '../exit-code.ts';
import { UsageError } from '../usage-error.ts';
import { type Environment, inVariables, withEnvironment } from './environment.ts';
import type { Flag, Given } from './flag.ts';
import { type FlagGroups, flagsIn, type GroupsOf, readGroups } from './groups.ts';
import { type Argv, readArgv } from './read-argv.ts';
import { INFORM } from './table.ts';
import type { Completion } from './value.ts';

/** The words of a command line that are no flags. */
export interface Words<T> {
  /** Throws UsageError. */
  readonly read: (words: readonly string[], command: string) => T;
  /** What a shell proposes for the first of them. */
  readonly completion?: Completion;
  /** Flags whose variables do not count if there are words. */
  readonly override?: readonly string[];
}

export interface CommandSpec<Groups extends FlagGroups, T> {
  readonly name: string;
  /** What it does, in sentences: the beginning of its help. */
  readonly about: string;
  /** What its help says behind the flags. */
  readonly notes?: string;
  readonly flags: Groups;
  readonly words: Words<T>;
  readonly run: (asked: Asked<Groups, T>, given: Given) => Promise<ExitCode>;
}

export type Asked<Groups extends FlagGroups, T> = GroupsOf<Groups> & { readonly words: T };

/** A command whatever it takes. */
export interface Command
  extends Pick<CommandSpec<FlagGroups, unknown>, 'name' | 'about' | 'notes' | 'flags'> {
  readonly words: Pick<Words<unknown>, 'completion'>;
  /** Throws UsageError. */
  readonly parse: (argv: readonly string[], env: Environment) => Invocation;
}

export type Invocation =
  | { readonly wants: 'help' | 'version' }
  | { readonly wants: 'run'; readonly asked: object; readonly run: () => Promise<ExitCode> };

export function defineCommand<Groups extends FlagGroups, T>(spec: CommandSpec<Groups, T>): Command {
  const flags = flagsIn({ ...spec.flags, ...INFORM });
  const parse = (argv: readonly string[], env: Environment): Invocation => {
    const line = readArgv(argv, flags);
    if (line.given.has('help')) return { wants: 'help' };
    if (line.given.has('version')) return { wants: 'version' };
    const { given, asked } = read(spec, line, flags, env);
    return { wants: 'run', asked, run: () => spec.run(asked, given) };
  };
  return { ...spec, flags: spec.flags as FlagGroups, parse };
}

function read<Groups extends FlagGroups, T>(
  spec: CommandSpec<Groups, T>,
  line: Argv,
  flags: readonly Flag[],
  env: Environment,
): { readonly given: Given; readonly asked: Asked<Groups, T> } {
  const overridden = line.words.length > 0 ? spec.words.override : undefined;
  const given = withEnvironment(line.given, flags, env, overridden);
  try {
    const words = spec.words.read(line.words, spec.name);
    return { given, asked: { ...readGroups(spec.flags, given), words } };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(inVariables(error.message, line.given, given, flags));
  }
}

/** For a command that takes nothing but flags. */
export const noWords: Words<undefined> = {
  read: ([word], command) => {
    if (word !== undefined) throw new UsageError(`${command} takes no "${word}"`);
    return undefined;
  },
};

/** One word; `what` completes "show needs ..." and `kind` "show takes one ...". */
export function oneWord(what: string, kind: string, completion: Completion): Words<string> {
  return {
    completion,
    read: ([word, more], command) => {
      if (word === undefined || word === '') throw new UsageError(`${command} needs ${what}`);
      if (more !== undefined)
        throw new UsageError(`${command} takes one ${kind}, but was also given "${more}"`);
      return word;
    },
  };
}

export const oneId: Words<string> = oneWord(
  "a conversation's id, or the beginning of one; longhand ls lists them",
  'id',
  'conversation',
);

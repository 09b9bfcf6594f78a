/** The words of a command line as flags and other words: `node:util`'s tokens, held to a table of flags. */
import { parseArgs } from 'node:util';
import { nearest } from '@longhand/sdk/value';
import { UsageError } from '../usage-error.ts';
import type { Flag, Given } from './flag.ts';

export interface Argv {
  readonly given: Given;
  /** What is no flag, and no value of one. */
  readonly words: readonly string[];
}

/**
 * Understands `--name value`, `--name=value`, `-n value`, `-n=value`, `-nvalue`, and `--` before words that begin with a
 * dash. A value may begin with a dash (a task often does), but must not be the spelling of another flag.
 */
export function readArgv(argv: readonly string[], flags: readonly Flag[]): Argv {
  const byName = new Map(flags.flatMap((flag) => namesOf(flag).map((name) => [name, flag] as const)));
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries([...byName].map(([name, flag]) => [name, optionOf(name, flag)])),
    strict: false,
    tokens: true,
  });
  const given = new Map<string, (string | true)[]>();
  const words: string[] = [];
  let taken = -1; // the index of a word that is the value of an optional flag
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') {
      if (token.index !== taken) words.push(token.value);
      continue;
    }
    const flag = byName.get(token.name);
    const word = argv[token.index] ?? '';
    if (flag === undefined) throw new UsageError(unknownFlag(token.rawName, word, flags));
    if (flag.once === true && given.has(flag.name)) throw new UsageError(`${token.rawName} is given twice`);
    refuseGroup(token.rawName, word, flag);
    const next = argv[token.index + 1];
    const hasNext = flag.takes === 'optional' && token.value === undefined && isBareValue(next);
    if (hasNext) taken = token.index + 1;
    const value = hasNext ? next : textOf(token, next, flag, byName);
    given.set(flag.name, [...(given.get(flag.name) ?? []), value ?? true]);
  }
  return { given, words };
}

function namesOf({ name, aliases = [] }: Flag): readonly string[] {
  return [name, ...aliases];
}

/** An optional value is found here: `parseArgs` knows none. */
function optionOf(name: string, flag: Flag) {
  const type = flag.takes === 'required' || flag.takes === 'several' ? 'string' : 'boolean';
  return {
    type,
    multiple: true,
    ...(flag.short !== undefined && name === flag.name ? { short: flag.short } : {}),
  } as const;
}

function isBareValue(word: string | undefined): word is string {
  return word !== undefined && !word.startsWith('-');
}

interface OptionToken {
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function textOf(
  { rawName, value, inlineValue }: OptionToken,
  next: string | undefined,
  { takes }: Flag,
  byName: ReadonlyMap<string, Flag>,
): string | undefined {
  if (takes === 'nothing' && value !== undefined)
    throw new UsageError(`${rawName} takes no value, but was given "${value}"`);
  if (takes !== 'required' && takes !== 'several') return value;
  if (inlineValue === true) return rawName.startsWith('--') ? value : value?.replace(/^=/, '');
  if (next === undefined || next === '--' || isSpelled(next, byName)) {
    const found = next === undefined ? 'nothing follows it' : `it is followed by ${next}`;
    throw new UsageError(`${rawName} needs a value, but ${found}`);
  }
  return value;
}

function isSpelled(word: string, byName: ReadonlyMap<string, Flag>): boolean {
  return [...byName].some(
    ([name, { short }]) =>
      word === `--${name}` || word.startsWith(`--${name}=`) || (short !== undefined && word === `-${short}`),
  );
}

/** `parseArgs` reads `-hx` as `-h -x`; here that is a switch with a value. */
function refuseGroup(rawName: string, word: string, { takes }: Flag): void {
  if (takes === 'nothing' && !rawName.startsWith('--') && word !== rawName)
    throw new UsageError(
      `${word.slice(0, 2)} takes no value, but was given "${word.slice(2).replace(/^=/, '')}"`,
    );
}

function unknownFlag(rawName: string, word: string, flags: readonly Flag[]): string {
  const spelled = rawName.startsWith('--') ? rawName : word;
  const names = flags.map(({ name }) => name);
  const near = nearest(spelled.replace(/^-+/, ''), names);
  return `unknown flag ${spelled}${near === undefined ? '; longhand --help lists them all' : `; did you mean --${near}?`}`;
}

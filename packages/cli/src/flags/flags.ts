import { nearest } from '@longhand/sdk/value';
import { UsageError } from '../usage-error.ts';

export interface Flag {
  /** Long name, without the dashes. */
  readonly name: string;
  readonly short?: string;
  /** Other spellings, such as those of OpenHands V0; without the dashes. */
  readonly aliases?: readonly string[];
  /** `optional`: the next word is its value unless that begins with a dash. */
  readonly value?: 'required' | 'optional';
  /** May be given more than once; all of them count. */
  readonly many?: boolean;
  /** Giving it twice is an error; otherwise the last one counts. */
  readonly once?: boolean;
}

export interface ParsedFlags {
  /** By long name; `true` for one without a value. */
  readonly values: ReadonlyMap<string, string | true>;
  /** Of flags that may be given more than once. */
  readonly lists: ReadonlyMap<string, readonly string[]>;
  readonly positionals: readonly string[];
}

/** Understands `--name value`, `--name=value`, `-n value`, `-n=value`, `-nvalue`, and `--` before positionals. */
export function parseFlags(argv: readonly string[], flags: readonly Flag[]): ParsedFlags {
  const values = new Map<string, string | true>();
  const lists = new Map<string, string[]>();
  const positionals: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? '';
    if (word === '--') {
      positionals.push(...argv.slice(i + 1));
      break;
    }
    if (!word.startsWith('-') || word === '-') {
      positionals.push(word);
      continue;
    }
    const { flag, spelled, inline } = findFlag(word, flags);
    if (flag.once && values.has(flag.name)) throw new UsageError(`${spelled} is given twice`);
    if (inline !== undefined || flag.value === undefined) {
      values.set(flag.name, inlineValue(flag, spelled, inline));
    } else {
      const next = argv[i + 1];
      const taken = takesNext(flag, next, flags);
      if (!taken && flag.value === 'required') throw new UsageError(missingValue(spelled, next));
      values.set(flag.name, taken ? (next ?? true) : true);
      if (taken) i += 1;
    }
    const value = values.get(flag.name);
    if (flag.many === true && typeof value === 'string')
      lists.set(flag.name, [...(lists.get(flag.name) ?? []), value]);
  }
  return { values, lists, positionals };
}

interface Found {
  readonly flag: Flag;
  readonly spelled: string;
  readonly inline: string | undefined;
}

function findFlag(word: string, flags: readonly Flag[]): Found {
  const isLong = word.startsWith('--');
  const equals = word.indexOf('=');
  const spelled = isLong ? (equals === -1 ? word : word.slice(0, equals)) : word.slice(0, 2);
  const flag = flags.find((each) =>
    isLong ? longNames(each).includes(spelled) : each.short !== undefined && `-${each.short}` === spelled,
  );
  if (flag === undefined) throw new UsageError(unknownFlag(isLong ? spelled : word, flags));
  if (isLong) return { flag, spelled, inline: equals === -1 ? undefined : word.slice(equals + 1) };
  const rest = word.slice(2);
  return { flag, spelled, inline: rest === '' ? undefined : rest.replace(/^=/, '') };
}

function longNames({ name, aliases = [] }: Flag): string[] {
  return [name, ...aliases].map((each) => `--${each}`);
}

function inlineValue(flag: Flag, spelled: string, inline: string | undefined): string | true {
  if (inline === undefined) return true;
  if (flag.value === undefined) throw new UsageError(`${spelled} takes no value, but was given "${inline}"`);
  return inline;
}

/** A required value may begin with a dash (a task often does), but not be another flag. */
function takesNext(flag: Flag, next: string | undefined, flags: readonly Flag[]): boolean {
  if (next === undefined || next === '--') return false;
  if (flag.value === 'optional') return !next.startsWith('-');
  return !flags.some(
    (each) =>
      longNames(each).some((name) => next === name || next.startsWith(`${name}=`)) ||
      (each.short !== undefined && next === `-${each.short}`),
  );
}

function missingValue(spelled: string, next: string | undefined): string {
  const found = next === undefined ? 'nothing follows it' : `what follows is ${next}`;
  return `${spelled} needs a value, but ${found}`;
}

function unknownFlag(spelled: string, flags: readonly Flag[]): string {
  const near = nearest(
    spelled.replace(/^-+/, ''),
    flags.map((flag) => flag.name),
  );
  return `there is no flag ${spelled}${near === undefined ? '; longhand --help lists them' : `; did you mean --${near}?`}`;
}

/** The flags of `longhand batch`, and the command that they make. */
import type { Asked } from '../flags/command.ts';
import { type Given, listFlag, valueFlag } from '../flags/flag.ts';
import { type FlagGroup, flagsIn } from '../flags/groups.ts';
import { RUN } from '../flags/table.ts';
import { amount, directory, text, wholeNumber } from '../flags/value.ts';
import { UsageError } from '../usage-error.ts';

/** The batch's own flags. The aliases are the names in V0's evaluations. */
const OWN = {
  out: valueFlag(directory, {
    name: 'out',
    aliases: ['eval-output-dir'],
    help: 'the folder for results, conversations and workspaces: a new one, an empty one, or that of the same batch',
  }),
  jobs: valueFlag(wholeNumber(1), {
    name: 'jobs',
    short: 'j',
    aliases: ['eval-num-workers'],
    help: 'how many to run at a time',
    default: '4',
  }),
  limit: valueFlag(wholeNumber(1), {
    name: 'limit',
    aliases: ['eval-n-limit'],
    help: 'run only the first N',
    default: 'all',
  }),
  only: listFlag(text('IDS'), {
    name: 'only',
    aliases: ['eval-ids'],
    help: 'run only these ids, separated by commas; repeatable',
    default: 'all',
  }),
  maxTotalBudgetUsd: valueFlag(amount, {
    name: 'max-total-budget',
    help: 'start no more when those with a result have cost this much in total; the running ones are finished',
    default: 'none',
  }),
};

/** Without the flags that a batch sets for each run itself: these read as not given. */
function taken<Group extends FlagGroup>(group: Group): Group {
  const members = Object.entries(group).flatMap(([member, flag]) => {
    if (flag.batch === 'refuses') return [];
    const { negative, ...rest } = flag;
    return [[member, negative?.batch === 'refuses' ? rest : flag]];
  });
  return Object.fromEntries(members);
}

/** The batch's own flags, and those of a run. */
export const BATCH_FLAGS = {
  batch: OWN,
  place: taken(RUN.place),
  model: taken(RUN.model),
  limits: taken(RUN.limits),
  agent: taken(RUN.agent),
  recording: taken(RUN.recording),
  output: taken(RUN.output),
};
type BatchFlags = Asked<typeof BATCH_FLAGS, string>;

/** What a batch is to do. */
export interface BatchCommand extends BatchFlags {
  readonly out: string;
  /** Ids. */
  readonly only: readonly string[] | undefined;
  /** The flags that every run is given. */
  readonly runFlags: readonly string[];
}

/** Throws UsageError. */
export function batchCommand(asked: BatchFlags, given: Given): BatchCommand {
  const { out, only } = asked.batch;
  if (out === undefined) throw new UsageError('batch needs --out DIR, the folder for results');
  const ids = only?.flatMap((each) => each.split(',').filter(Boolean));
  return { ...asked, out, only: ids, runFlags: passedOn(given) };
}

/** As they were given: each run parses them again. */
function passedOn(given: Given): string[] {
  return flagsIn(RUN)
    .filter(({ batch: use }) => use === undefined)
    .flatMap(({ name, takes }) => {
      const values = given.get(name) ?? [];
      const counting = takes === 'several' ? values : values.slice(-1);
      return counting.map((value) => (value === true ? `--${name}` : `--${name}=${value}`));
    });
}

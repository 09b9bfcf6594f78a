/** `longhand batch`: what its command line says. Flags of a run that it takes are handed on to each run as they are. */

import { defined } from '@longhand/sdk/value';
import type { Common, RunCommand } from '../flags/commands.ts';
import { amount, nonEmpty, wholeNumber } from '../flags/flag-values.ts';
import type { Flag, ParsedFlags } from '../flags/flags.ts';
import { UsageError } from '../usage-error.ts';

export interface BatchCommand
  extends Common,
    Pick<
      RunCommand,
      'model' | 'baseUrl' | 'profile' | 'configFile' | 'maxIterations' | 'maxBudgetUsd' | 'agentConfig'
    > {
  readonly command: 'batch';
  /** JSON lines; see instance.ts. */
  readonly tasks: string;
  readonly out: string;
  readonly jobs?: number;
  /** Only the first so many. */
  readonly limit?: number;
  /** Only these instances. */
  readonly only?: readonly string[];
  /** Of all instances together. */
  readonly maxTotalBudgetUsd?: number;
  /** Flags for each run. */
  readonly runFlags: readonly string[];
  readonly quiet: boolean;
}

/** With the names of V0's evaluations. */
const OWN: readonly Flag[] = [
  { name: 'out', aliases: ['eval-output-dir'], value: 'required' },
  { name: 'jobs', short: 'j', aliases: ['eval-num-workers'], value: 'required' },
  { name: 'limit', aliases: ['eval-n-limit'], value: 'required' },
  { name: 'only', aliases: ['eval-ids'], value: 'required', many: true },
  { name: 'max-total-budget', value: 'required' },
];

/** What the batch decides for each run by itself. */
const NOT_FOR_ALL =
  'task file directory resume id name repo branch record replay save-trajectory replay-trajectory context-snapshots conversations-dir no-auto-continue'.split(
    ' ',
  );
const NOT_HANDED_ON = ['help', 'version', 'json', 'quiet', 'log-level'];

export function batchFlags(run: readonly Flag[]): readonly Flag[] {
  return [...OWN, ...run.filter(({ name }) => !NOT_FOR_ALL.includes(name))];
}

/** Throws UsageError. */
export function batchCommand(
  parsed: ParsedFlags,
  run: readonly Flag[],
  settings: Omit<BatchCommand, 'command' | 'tasks' | 'out' | 'runFlags' | 'quiet'>,
): BatchCommand {
  const [tasks, more] = parsed.positionals;
  if (tasks === undefined)
    throw new UsageError('batch needs a file of tasks: longhand batch TASKS.jsonl --out DIR');
  if (more !== undefined) throw new UsageError(`batch takes one file of tasks, but was given "${more}" too`);
  const out = nonEmpty(parsed, 'out');
  if (out === undefined) throw new UsageError('batch needs --out DIR, the folder for results');
  const only = parsed.lists.get('only')?.flatMap((ids) => ids.split(',').filter(Boolean));
  return {
    command: 'batch',
    ...settings,
    tasks,
    out,
    ...defined({
      agentConfig: nonEmpty(parsed, 'agent-config'),
      maxIterations: wholeNumber(parsed, 'max-iterations', 1),
      maxBudgetUsd: amount(parsed, 'max-budget'),
      jobs: wholeNumber(parsed, 'jobs', 1),
      limit: wholeNumber(parsed, 'limit', 1),
      only,
      maxTotalBudgetUsd: amount(parsed, 'max-total-budget'),
    }),
    runFlags: handedOn(parsed, run),
    quiet: parsed.values.has('quiet'),
  };
}

function handedOn({ values, lists }: ParsedFlags, run: readonly Flag[]): string[] {
  return run
    .filter(({ name }) => values.has(name) && !NOT_FOR_ALL.includes(name) && !NOT_HANDED_ON.includes(name))
    .flatMap(({ name }) => {
      const value = values.get(name);
      const all = lists.get(name) ?? (typeof value === 'string' ? [value] : []);
      return all.length === 0 ? [`--${name}`] : all.map((each) => `--${name}=${each}`);
    });
}

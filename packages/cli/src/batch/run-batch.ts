import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createLlm } from '@longhand/sdk';
import { acquireWriterLock, findLocalModelServer, makeFolder } from '@longhand/sdk/internal';
import { readSettings } from '../config/config.ts';
import { chooseModel } from '../config/model-choice.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { variableOf } from '../flags/environment.ts';
import { flagsIn } from '../flags/groups.ts';
import { RUN } from '../flags/table.ts';
import { onInterrupt } from '../interrupts.ts';
import { withoutLogin } from '../repository/address.ts';
import { UsageError } from '../usage-error.ts';
import { usd } from '../view/figures.ts';
import { ownLine } from '../view/own-lines.ts';
import { createReporter } from '../view/reporter.ts';
import type { Instance } from './instance.ts';
import { agreeWithManifest, refuseForeignFolder } from './manifest.ts';
import type { BatchCommand } from './options.ts';
import { inParallel } from './pool.ts';
import { countsBesides, createProgress } from './progress.ts';
import { openResults, type Result, type Results } from './results.ts';
import { runInstance } from './run-instance.ts';
import { openSources } from './sources.ts';
import { readTaskFile } from './task-file.ts';

const DEFAULT_JOBS = 4;

/** Runs one conversation for each line of the file, several at a time. */
export async function runBatch(command: BatchCommand): Promise<ExitCode> {
  const reporter = createReporter(command.output, process, process.env);
  const out = resolve(command.out);
  // Whatever is wrong with the input is reported before anything is written.
  const instances = chosen(await readTaskFile(command.words), command);
  const settings = await readSettings(command, process.env, process.cwd());
  settings.warnings.forEach(reporter.warn);
  const { llm } = await chooseModel(settings, process.env, findLocalModelServer);
  await createLlm(llm); // a missing key would fail every run
  refuseForeignFolder(out);
  makeOut(out);
  const lock = await acquireWriterLock(out);
  try {
    const baseUrl = llm.endpoint?.baseUrl;
    const flags = [...command.runFlags];
    const decided = {
      model: llm.model,
      base_url: baseUrl === undefined ? null : withoutLogin(baseUrl),
      flags,
    };
    await agreeWithManifest(out, decided, instances);
    return await work(command, out, instances, await openResults(out), llm.model);
  } finally {
    lock.release();
  }
}

async function work(
  command: BatchCommand,
  out: string,
  instances: readonly Instance[],
  results: Results,
  model: string,
): Promise<ExitCode> {
  const stop = new AbortController();
  const off = onInterrupt(() => stop.abort(), undefined, ORDERLY_MS);
  const doneBefore = instances.flatMap(({ id }) => results.byId.get(id) ?? []);
  const left = instances.filter(({ id }) => !results.byId.has(id));
  const progress = createProgress(process.stdout, process.env, {
    json: command.output.json,
    quiet: command.output.quiet,
    total: instances.length,
    done: doneBefore,
    now: () => performance.now(),
  });
  if (doneBefore.length > 0) progress.say(`${doneBefore.length} of ${instances.length} are already done`);
  const deps = {
    out,
    sources: openSources(out, stop.signal),
    model,
    flags: command.runFlags,
    env: withoutFlags(process.env),
    signal: stop.signal,
  };
  const { maxTotalBudgetUsd = Number.POSITIVE_INFINITY, jobs = DEFAULT_JOBS } = command.batch;
  const mayStart = () => !stop.signal.aborted && costOf(results) < maxTotalBudgetUsd;
  try {
    await inParallel(left, jobs, mayStart, async (instance) => {
      progress.started();
      const result = await runInstance(instance, deps);
      if (result !== null) results.add(result);
      progress.ended(result);
    });
  } finally {
    progress.close();
    off();
  }
  const all = instances.flatMap(({ id }) => results.byId.get(id) ?? []);
  report(command, out, all, instances.length);
  if (stop.signal.aborted) return EXIT.interrupted;
  if (all.length < instances.length) {
    process.stderr.write(
      `longhand: the budget of ${usd(maxTotalBudgetUsd)} for the whole batch is used up; a higher --max-total-budget runs the rest\n`,
    );
    return EXIT.limit;
  }
  return all.some(({ status }) => status === 'error') ? EXIT.error : EXIT.ok;
}

/** The runs have their own deadline, which is shorter. */
const ORDERLY_MS = 11_000;

function report(command: BatchCommand, out: string, all: readonly Result[], total: number): void {
  const finished = all.filter(({ status }) => status === 'finished').length;
  const cost = all.reduce((sum, each) => sum + each.cost_usd, 0);
  if (command.output.json) {
    const line = { type: 'batch', out, total, done: all.length, finished, cost_usd: cost };
    process.stdout.write(ownLine(line));
  } else if (!command.output.quiet) {
    const counts = [
      `${finished} of ${total} finished`,
      ...countsBesides(all),
      ...(all.length < total ? [`${total - all.length} left`] : []),
    ];
    process.stdout.write(
      `\n${counts.join(', ')}${cost > 0 ? ` · ${usd(cost)}` : ''}\nresults: ${join(out, 'results.jsonl')}\n`,
    );
  }
  const failed = new Set(
    all.flatMap(({ status, detail }) => (status === 'error' && detail !== undefined ? [detail] : [])),
  );
  for (const detail of failed) process.stderr.write(`longhand: ${detail.replace(/^longhand: /, '')}\n`);
}

function costOf({ byId }: Results): number {
  return [...byId.values()].reduce((sum, { cost_usd: cost }) => sum + cost, 0);
}

/** Throws UsageError. */
function chosen(
  instances: readonly Instance[],
  { only, batch: { limit }, words: tasks }: BatchCommand,
): readonly Instance[] {
  const strange = only?.find((id) => !instances.some((each) => each.id === id));
  if (strange !== undefined) throw new UsageError(`${tasks} has no instance "${strange}"`);
  const some = only === undefined ? instances : instances.filter(({ id }) => only.includes(id));
  return some.slice(0, limit);
}

function makeOut(out: string): void {
  if (existsSync(out)) return;
  try {
    makeFolder(out);
  } catch (error) {
    throw new UsageError(`the folder ${out} cannot be made: ${(error as Error).message}`);
  }
}

/** Flags in the environment were read by the batch and are passed on as flags. */
function withoutFlags(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const variables = flagsIn(RUN).map(variableOf);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !variables.includes(name)));
}

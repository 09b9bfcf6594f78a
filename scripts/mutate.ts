/**
 * Which changes of the code no test notices: `npm run mutate -- PATH... [--sample N] [--seed S] [--jobs 2] [--verbose]`, where a
 * path is a source file or a folder. Nothing on disk is changed: each mutant is made in memory while a test loads the file.
 * Ends with a table by folder and the list of the mutants that survived. See docs/testing.md.
 */
import { globSync, readFileSync, statSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { type Mutant, mutantsOf } from './mutation/mutants.ts';
import { runTest } from './mutation/run-test.ts';
import { type CoveringTest, coverageOf, testsImporting } from './mutation/tests-of.ts';

/** `uncovered`: no test runs the code. */
export type Fate = 'killed' | 'timed out' | 'survived' | 'uncovered';

export interface Verdict {
  readonly path: string;
  readonly mutant: Mutant;
  readonly fate: Fate;
}

export interface MutateOptions {
  /** The folder that holds `packages`. */
  readonly root: string;
  /** Absolute paths of the files to change. */
  readonly files: readonly string[];
  /** How many mutants are tried; default: all. */
  readonly sample?: number | undefined;
  /** Of the choice of the sample. Default 1. */
  readonly seed?: number | undefined;
  /** How many tests run side by side. Default 2. */
  readonly jobs?: number | undefined;
  readonly onProgress?: ((line: string) => void) | undefined;
}

/** A test that takes longer than this without a mutant is not used. */
const BASELINE_LIMIT_MS = 20_000;

export async function mutate(options: MutateOptions): Promise<Verdict[]> {
  const { root, files, sample, seed = 1, jobs = 2, onProgress = () => undefined } = options;
  const all = files.flatMap((path) =>
    mutantsOf(readFileSync(path, 'utf8')).map((mutant) => ({ path, mutant })),
  );
  const chosen = sample === undefined ? all : shuffled(all, seed).slice(0, sample);
  const distances = [...testsImporting(root, files)];
  onProgress(`${all.length} mutants, ${chosen.length} tried; ${distances.length} test files reach them`);
  const tests = (
    await sideBySide(distances, jobs, ([path, distance]) => coverageOf(path, distance, BASELINE_LIMIT_MS))
  ).filter((test) => test !== null);
  onProgress(`${tests.length} of them pass without a mutant within ${BASELINE_LIMIT_MS / 1_000} s`);
  let done = 0;
  return sideBySide(chosen, jobs, async ({ path, mutant }) => {
    const fate = await fateOf(path, mutant, tests);
    done += 1;
    onProgress(`${done}/${chosen.length} ${fate}: ${describe({ path: relative(root, path), mutant, fate })}`);
    return { path: relative(root, path), mutant, fate };
  });
}

/** A mutant that so many of the nearest and quickest tests did not notice counts as one that survived. */
const MAX_TESTS = 15;

/** Tests that are near and quick come first. */
async function fateOf(path: string, mutant: Mutant, tests: readonly CoveringTest[]): Promise<Fate> {
  const covering = tests
    .filter((test) => test.covers(path, mutant.runsAt))
    .sort((a, b) => (a.distance + 1) * a.tookMs - (b.distance + 1) * b.tookMs);
  const { start, end, replacement } = mutant;
  const env = { MUTANT: JSON.stringify({ url: pathToFileURL(path).href, start, end, replacement }) };
  const hook = pathToFileURL(resolve(import.meta.dirname, 'mutation/hook.ts')).href;
  for (const test of covering.slice(0, MAX_TESTS)) {
    const outcome = await runTest(test.path, env, 10_000 + 5 * test.tookMs, [`--import=${hook}`]);
    if (outcome !== 'passed') return outcome === 'failed' ? 'killed' : 'timed out';
  }
  return covering.length === 0 ? 'uncovered' : 'survived';
}

async function sideBySide<Item, Result>(
  items: readonly Item[],
  jobs: number,
  act: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const work = async (): Promise<void> => {
    for (const [i, item] of queue) results[i] = await act(item);
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return results;
}

/** The same order for the same seed. */
function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  let state = seed;
  const keyed = items.map((item) => {
    // A linear congruential generator, with the constants of Numerical Recipes.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return { item, key: state };
  });
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}

function describe({ path, mutant }: Verdict): string {
  return `${path}:${mutant.line}  ${mutant.original}  ->  ${mutant.replacement}`;
}

/** The table by folder, and the survivors. */
export function report(verdicts: readonly Verdict[]): string {
  const folders = Map.groupBy(verdicts, ({ path }) => dirname(path));
  const rows = [...folders, ['all', verdicts] as const].map(([folder, of]) => {
    const count = (fate: Fate) => of.filter((each) => each.fate === fate).length;
    const dead = count('killed') + count('timed out');
    const score = `${((100 * dead) / Math.max(1, of.length)).toFixed(1)} %`;
    return `${folder}: ${score} of ${of.length} (killed ${count('killed')}, timed out ${count('timed out')}, survived ${count('survived')}, uncovered ${count('uncovered')})`;
  });
  const alive = verdicts.filter(({ fate }) => fate === 'survived' || fate === 'uncovered');
  return [...alive.map((each) => `${each.fate}  ${describe(each)}`), '', ...rows].join('\n');
}

/** The sources that a path names. */
function sourcesAt(path: string): string[] {
  const files = statSync(path).isDirectory() ? globSync('**/*.ts', { cwd: path }) : [''];
  return files
    .map((file) => resolve(path, file))
    .filter((file) => !/\.test\.ts$|\.d\.ts$|\/(fixtures|testing)\//.test(file))
    .sort();
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      sample: { type: 'string' },
      seed: { type: 'string' },
      jobs: { type: 'string' },
      verbose: { type: 'boolean', default: false },
    },
  });
  const number = (text: string | undefined) => (text === undefined ? undefined : Number(text));
  const verdicts = await mutate({
    root: resolve(import.meta.dirname, '..'),
    files: positionals.flatMap(sourcesAt),
    sample: number(values.sample),
    seed: number(values.seed),
    jobs: number(values.jobs),
    onProgress: (line) => {
      if (values.verbose || !/^\d+\//.test(line)) console.error(line);
    },
  });
  console.log(report(verdicts));
}

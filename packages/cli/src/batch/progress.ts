/** What a batch shows while it runs: a line for each finished instance, and on a terminal a progress bar below. */
import { duration, usd } from '../view/figures.ts';
import { ownLine } from '../view/own-lines.ts';
import { sanitizeLine } from '../view/sanitize.ts';
import { type Output, Screen } from '../view/screen.ts';
import { isTerminal, type Style, styleFor } from '../view/style.ts';
import type { Result } from './results.ts';

export interface Progress {
  say(line: string): void;
  started(): void;
  /** Null if it was interrupted. */
  ended(result: Result | null): void;
  close(): void;
}

export interface ProgressOptions {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly total: number;
  /** Results of earlier calls. */
  readonly done: readonly Result[];
  readonly now: () => number;
}

type Environment = { readonly [name: string]: string | undefined };

const BAR_CELLS = 20;

export function createProgress(
  out: Output & { readonly isTTY?: boolean },
  env: Environment,
  { json, quiet, total, done, now }: ProgressOptions,
): Progress {
  const isForPeople = !json && !quiet;
  const isLive = isForPeople && isTerminal(out, env);
  const screen = new Screen(out);
  const style = styleFor(out, env);
  const results = [...done];
  const beganAt = now();
  let running = 0;
  if (isLive) screen.spin(() => ({ label: barLine(results, total, running, now() - beganAt) }));
  return {
    say: (line) => {
      if (isForPeople) screen.print([style.dim(line)]);
    },
    started: () => {
      running += 1;
    },
    ended: (result) => {
      running -= 1;
      if (result === null) return;
      results.push(result);
      if (json) out.write(ownLine({ type: 'result', ...result }));
      else if (isForPeople) screen.print([resultLine(result, results.length, total, style)]);
    },
    close: () => screen.rest(),
  };
}

function barLine(results: readonly Result[], total: number, running: number, elapsedMs: number): string {
  const filled = Math.floor((results.length / total) * BAR_CELLS);
  const cost = results.reduce((sum, { cost_usd: each }) => sum + each, 0);
  return [
    `${'█'.repeat(filled)}${'░'.repeat(BAR_CELLS - filled)} ${results.length} of ${total}`,
    `${running} running`,
    ...countsBesides(results),
    ...(cost > 0 ? [usd(cost)] : []),
    duration(elapsedMs),
  ].join(' · ');
}

/** `2 stuck`, `1 error`: everything that did not finish. */
export function countsBesides(results: readonly Result[]): string[] {
  const counts = new Map<string, number>();
  for (const { status } of results) counts.set(status, (counts.get(status) ?? 0) + 1);
  counts.delete('finished');
  return [...counts].map(([status, count]) => `${count} ${status}`);
}

function resultLine(result: Result, number: number, total: number, style: Style): string {
  const { instance_id: id, status, model_patch: patch, cost_usd: cost, duration_ms: ms, detail } = result;
  const colour = status === 'finished' ? style.green : status === 'error' ? style.red : style.yellow;
  const facts = [
    ...(cost > 0 ? [usd(cost)] : []),
    duration(ms),
    patch === ''
      ? 'no change'
      : `${patch.split('\n').filter((line) => line.startsWith('diff --git ')).length} files`,
    ...(detail === undefined ? [] : [detail]),
  ].map(sanitizeLine);
  const place = `[${String(number).padStart(String(total).length)}/${total}]`;
  return `${style.dim(place)} ${sanitizeLine(id)}  ${colour(status)}  ${style.dim(facts.join(' · '))}`;
}

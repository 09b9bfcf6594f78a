/** The terminal: one call, and a flood of output, compared with a bare shell on a pseudo-terminal. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { openLocalWorkspace } from '@longhand/sdk';
import { type TriedTools, tryTools } from '@longhand/sdk/testing';
import { terminalTool } from '@longhand/tools';
import { median } from './agent-run.ts';
import type { Figure } from './figure.ts';

/** 14.9 MB. */
const FLOOD = 'seq 1 2000000';
/** 168.9 MB, none of which may stay in memory. */
const LARGE_FLOOD = 'seq 1 20000000';
const SAMPLE_MS = 20;

export async function terminal(repeats: number): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-bench-terminal-'));
  const tried = await tryTools(terminalTool, { folder, directory: join(folder, 'conversation') });
  const bare = await bareShell(folder);
  try {
    const calls = await pairs(
      repeats * 30,
      () => call(tried, 'true'),
      () => bare.run('true'),
    );
    const floods = await pairs(
      repeats,
      () => call(tried, FLOOD),
      () => bare.run(FLOOD),
    );
    const { grownMb, lateMs } = await strain(() => call(tried, LARGE_FLOOD));
    const floor = { name: 'a bare shell on a pseudo-terminal' };
    return [
      {
        name: 'terminal: a call of `true`',
        ...calls,
        unit: 'ms',
        floor: { ...floor, value: calls.floor },
        goal: { atMost: 1 },
      },
      {
        name: 'terminal: 15 MB of output',
        ...floods,
        unit: 'ms',
        floor: { ...floor, value: floods.floor },
        goal: { atMost: 1_500 },
      },
      {
        name: 'terminal: memory growth from 169 MB of output',
        ours: grownMb,
        unit: 'MB',
        goal: { atMost: 100 },
      },
      {
        name: 'terminal: event loop delay during it, 95th percentile',
        ours: lateMs,
        unit: 'ms',
        goal: { atMost: 50 },
      },
    ];
  } finally {
    await bare.close();
    await tried.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function call(tried: TriedTools, command: string): Promise<void> {
  const { isError, said } = await tried.call({ command, timeout: 120 });
  if (isError || !said.includes('exit code 0')) throw new Error(said.slice(-500));
}

/** Medians in milliseconds. The two alternate; the first round warms the caches. */
async function pairs(
  count: number,
  ours: () => Promise<void>,
  floor: () => Promise<void>,
): Promise<{ readonly ours: number; readonly floor: number }> {
  const found: { readonly ours: number; readonly floor: number }[] = [];
  for (let i = 0; i <= count; i += 1) found.push({ ours: await timed(ours), floor: await timed(floor) });
  return {
    ours: median(found.slice(1).map((each) => each.ours)),
    floor: median(found.slice(1).map((each) => each.floor)),
  };
}

async function timed(act: () => Promise<void>): Promise<number> {
  const beganAt = performance.now();
  await act();
  return performance.now() - beganAt;
}

/** The least code that runs a command in a persistent shell and knows when it has ended. */
async function bareShell(folder: string) {
  const workspace = openLocalWorkspace(folder);
  const shell = await workspace.spawn(['bash', '--norc', '--noediting', '-i'], {
    pty: { columns: 256, rows: 200 },
    env: { PS1: '', PS2: '' },
  });
  const END = '\x1b]end\x07';
  let ended: (() => void) | undefined;
  let last = '';
  shell.onOutput((bytes) => {
    last = (last + Buffer.from(bytes).toString('latin1')).slice(-END.length);
    if (last === END) ended?.();
  });
  const run = async (command: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    ended = resolve;
    await shell.write(` ${command}; printf '\\033]end\\007'\n`);
    await promise;
  };
  await run('stty -echo -onlcr');
  return { run, close: () => workspace.close() };
}

/** What an action costs the rest of the process. */
async function strain(
  act: () => Promise<void>,
): Promise<{ readonly grownMb: number; readonly lateMs: number }> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, SAMPLE_MS);
  const delay = monitorEventLoopDelay({ resolution: SAMPLE_MS });
  delay.enable();
  await act();
  delay.disable();
  clearInterval(timer);
  return { grownMb: (peak - before) / 1e6, lateMs: delay.percentile(95) / 1e6 - SAMPLE_MS };
}

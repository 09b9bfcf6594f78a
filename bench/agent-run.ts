/** One run of an agent as a process, watched from outside. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Endpoint, Turn } from './endpoint.ts';

export interface AgentRun {
  readonly wallMs: number;
  readonly firstRequestMs: number;
  /** Of the agent's own process, excluding the shells that it starts. */
  readonly peakMb: number;
  readonly turns: readonly Turn[];
}

const root = resolve(import.meta.dirname, '..');

export interface Place {
  readonly home: string;
  readonly conversations: string;
  readonly work: string;
}

/** Folders for one or more runs; `remove` deletes them. */
export function makePlace(): Place & { remove(): void } {
  const home = mkdtempSync(join(tmpdir(), 'longhand-bench-'));
  const work = mkdtempSync(join(tmpdir(), 'longhand-bench-work-'));
  return {
    home,
    conversations: join(home, 'conversations'),
    work,
    remove: () => {
      for (const folder of [home, work]) rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function bareLoop(endpoint: Endpoint): readonly string[] {
  return [process.execPath, join(root, 'bench/floor/bare-loop.mjs'), endpoint.baseUrl, 'work'];
}

export function longhand(endpoint: Endpoint, place: Place, ...more: string[]): readonly string[] {
  const model = ['--model', 'openai/bench', '--base-url', endpoint.baseUrl];
  return [
    join(root, 'longhand'),
    ...more,
    ...model,
    '-d',
    place.work,
    '--conversations-dir',
    place.conversations,
    '--quiet',
  ];
}

export async function runAgent(argv: readonly string[], endpoint: Endpoint, place: Place): Promise<AgentRun> {
  const [file = '', ...args] = argv;
  const env = { PATH: process.env['PATH'] ?? '', HOME: place.home, LLM_API_KEY: 'x' };
  const beganAt = performance.timeOrigin + performance.now();
  const child = spawn(file, args, { cwd: place.work, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let complaint = '';
  child.stderr.on('data', (bytes: Buffer) => {
    complaint += bytes.toString();
  });
  let peakMb = 0;
  const watch = setInterval(() => {
    peakMb = Math.max(peakMb, highWaterMb(child.pid));
  }, 5);
  const code = await new Promise<number | null>((done) => child.once('exit', done));
  const endedAt = performance.timeOrigin + performance.now();
  clearInterval(watch);
  if (code !== 0) throw new Error(`${file} ended with ${code}: ${complaint.trim().slice(0, 300)}`);
  const turns = await endpoint.turns();
  return {
    wallMs: endedAt - beganAt,
    firstRequestMs: (turns[0]?.receivedAt ?? Number.NaN) - beganAt,
    peakMb,
    turns,
  };
}

/** The peak resident memory of a process so far, as Linux records it. */
function highWaterMb(pid: number | undefined): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}

/** The agent's own time between an answer and its next request, around turn `at`: the median of ten turns. */
export function ownStepMs(turns: readonly Turn[], at: number): number {
  const steps = turns.slice(Math.max(1, at - 5), at + 5).map((turn, i) => {
    const before = turns[Math.max(1, at - 5) - 1 + i];
    return turn.receivedAt - (before?.answeredAt ?? Number.NaN);
  });
  return median(steps);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** One run as a process of its own: its failures stay in it, and it ends in order when the batch is gone. */

import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { tailOf } from '@longhand/sdk/value';
import type { conversationLine, outcomeLine, outputLine } from '../view/own-lines.ts';

type OutcomeLine = ReturnType<typeof outcomeLine>;
type OwnLine = OutcomeLine | ReturnType<typeof conversationLine> | ReturnType<typeof outputLine>;

export interface RunEnd {
  /** Null if a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Absent if no conversation was started, or if the run was killed. */
  readonly outcome?: OutcomeLine;
  /** The model of the conversation, once there is one. */
  readonly model?: string | undefined;
  /** The end of what it wrote to standard error. */
  readonly complaint: string;
}

export interface ChildOptions {
  /** What it writes to standard error is appended here. */
  readonly logFile: string;
  readonly env: NodeJS.ProcessEnv;
  /** Aborts: the run ends in order. */
  readonly signal: AbortSignal;
}

const COMPLAINT_AT_MOST = 2_000;

/** Runs `longhand run --json` with these arguments until it ends. Rejects if it cannot be started. */
export async function runChild(words: readonly string[], options: ChildOptions): Promise<RunEnd> {
  const main = process.argv[1] ?? '';
  const child = spawn(process.execPath, [...process.execArgv, main, 'run', '--json', ...words], {
    env: options.env,
    detached: true, // Ctrl-C goes to the batch, which ends its runs
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const end = () => {
    if (child.connected) child.disconnect();
  };
  options.signal.addEventListener('abort', end);
  if (options.signal.aborted) end();
  try {
    const ended = new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
      child.once('error', reject);
      // `close` is not emitted once the channel was closed from here; the end of the pipes is awaited below.
      child.once('exit', (code, signal) => resolve([code, signal]));
    });
    const [[exitCode, signal], told, complaint] = await Promise.all([
      ended,
      ownLinesIn(child.stdout as Readable),
      kept(child.stderr as Readable, options.logFile),
    ]);
    return { exitCode, signal, ...told, complaint };
  } finally {
    options.signal.removeEventListener('abort', end);
  }
}

/** Events are skipped unread: only our own lines start with a version. */
async function ownLinesIn(stdout: Readable): Promise<Pick<RunEnd, 'outcome' | 'model'>> {
  let told: Pick<RunEnd, 'outcome' | 'model'> = {};
  for await (const line of createInterface({ input: stdout, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (!line.startsWith('{"schema_version":')) continue;
    const own = JSON.parse(line) as OwnLine;
    if (own.type === 'outcome') told = { ...told, outcome: own };
    else if (own.type === 'conversation') told = { ...told, model: own.model };
  }
  return told;
}

async function kept(stderr: Readable, logFile: string): Promise<string> {
  const log = createWriteStream(logFile, { flags: 'a' });
  const written = finished(log);
  written.catch(() => undefined); // awaited below; standard error must be read to its end in any case
  let last = '';
  stderr.setEncoding('utf8');
  for await (const text of stderr as AsyncIterable<string>) {
    last = tailOf(last + text, COMPLAINT_AT_MOST);
    log.write(text);
  }
  log.end();
  await written;
  return last.trim();
}

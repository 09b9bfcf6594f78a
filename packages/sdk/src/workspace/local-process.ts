import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { closeSync, constants as files, openSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IPty } from '@lydell/node-pty';
import { endTree, groupOf, send } from './process-tree.ts';
import { type Process, type ProcessExit, WorkspaceError } from './workspace.ts';

export interface LocalSpawn {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  /** The value of PROCESS_MARK in its environment. */
  readonly mark: string;
}

type OutputListener = Parameters<Process['onOutput']>[0];

/** A program on pipes, in a session of its own. */
export async function spawnOnPipes({ argv, cwd, env, mark }: LocalSpawn): Promise<Process> {
  const { spawn } = await import('node:child_process');
  const [file = '', ...args] = argv;
  let child: ChildProcessWithoutNullStreams;
  try {
    child = spawn(file, args, { cwd, env, detached: true, stdio: 'pipe' });
  } catch (error) {
    throw cannotStart(file, cwd, error); // arguments that are too long or contain NUL
  }
  const exited = new Promise<ProcessExit>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => reject(cannotStart(file, cwd, error)));
  });
  const pid = child.pid as number;
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  child.stdin.on('error', () => undefined); // a program may exit before it has read its input; `write` reports it
  return {
    pid,
    isTty: false,
    onOutput: (listener) => {
      const out = (bytes: Buffer) => listener(bytes, 'stdout');
      const err = (bytes: Buffer) => listener(bytes, 'stderr');
      child.stdout.on('data', out);
      child.stderr.on('data', err);
      return () => {
        child.stdout.off('data', out);
        child.stderr.off('data', err);
      };
    },
    write: (data) =>
      new Promise((resolve, reject) => {
        child.stdin.write(data, (error) => (error ? reject(error) : resolve()));
      }),
    end: () => child.stdin.end(),
    pause: () => {
      child.stdout.pause();
      child.stderr.pause();
    },
    resume: () => {
      child.stdout.resume();
      child.stderr.resume();
    },
    kill: (signal = 'SIGTERM') => send(-pid, signal),
    terminate: () => endTree(mark, groupOf(pid, !isRunning()), 'SIGTERM'),
    exited,
  };
}

/** A terminal buffers about four kilobytes of unread input. How long to wait before writing more, at first and later. */
const FULL_MS = 1;
const STILL_FULL_MS = 20;

/** A program on a pseudo-terminal of its own. */
export async function spawnOnPty(
  { argv, cwd, env, mark }: LocalSpawn,
  size: { readonly columns: number; readonly rows: number },
): Promise<Process> {
  const { spawn: spawnPty } = await loadPty();
  const [file = '', ...args] = argv;
  let terminal: IPty;
  try {
    terminal = spawnPty(file, args, {
      cwd,
      env,
      cols: size.columns,
      rows: size.rows,
      name: 'xterm-256color',
      encoding: null,
    });
  } catch (error) {
    throw cannotStart(file, cwd, error);
  }
  const listeners = new Set<OutputListener>();
  // Declared as text, but bytes without an encoding.
  terminal.onData((bytes) => {
    for (const listener of listeners) listener(bytes as unknown as Buffer, 'stdout');
  });
  // The library's own write blocks this whole process until the other side reads. Writing to the descriptor does not
  // block; after its socket is closed the number may belong to another file.
  const { fd, _socket: socket } = terminal as unknown as {
    readonly fd: number;
    readonly _socket: { readonly destroyed: boolean };
  };
  holdUntilReaped(terminal);
  let lastWrite = Promise.resolve();
  let ended = false;
  const exited = new Promise<ProcessExit>((resolve) => {
    terminal.onExit(({ exitCode, signal }) => {
      ended = true;
      resolve(
        signal === undefined || signal === 0
          ? { code: exitCode, signal: null }
          : { code: null, signal: signalName(signal) },
      );
    });
  });
  return {
    pid: terminal.pid,
    isTty: true,
    onOutput: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    write: (data) => {
      const bytes = Buffer.from(data as Uint8Array);
      lastWrite = lastWrite
        .catch(() => undefined)
        .then(() => writeAll(fd, bytes, () => ended || socket.destroyed));
      return lastWrite;
    },
    end: () => terminal.write('\u0004'),
    pause: () => terminal.pause(),
    resume: () => terminal.resume(),
    kill: (signal = 'SIGTERM') => send(-terminal.pid, signal),
    // An interactive shell ignores SIGTERM, but not SIGHUP.
    terminate: () => endTree(mark, groupOf(terminal.pid, ended), 'SIGHUP'),
    exited,
  };
}

/**
 * Keeps the program's side of its terminal open until it exits. A program may close its descriptors before it exits, as
 * `head` does: the library then closes the terminal at once, and the hangup would kill the program.
 */
function holdUntilReaped(terminal: IPty): void {
  const { ptsName } = terminal as unknown as { readonly ptsName: string };
  let held: number | null;
  try {
    held = openSync(ptsName, files.O_RDWR | files.O_NOCTTY);
  } catch {
    return; // it has already exited
  }
  // The library reports the exit when the terminal is closed, but sets this earlier.
  Object.defineProperty(terminal, '_boundClose', {
    get: () => held === null,
    set: () => {
      if (held !== null) closeSync(held);
      held = null;
    },
  });
}

async function writeAll(fd: number, bytes: Uint8Array, hasEnded: () => boolean): Promise<void> {
  for (let at = 0, waitMs = FULL_MS; at < bytes.length; ) {
    if (hasEnded()) throw new WorkspaceError('other', 'the process has ended and takes no input');
    try {
      at += writeSync(fd, bytes, at);
      waitMs = FULL_MS;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      await sleep(waitMs);
      waitMs = Math.min(waitMs * 2, STILL_FULL_MS);
    }
  }
}

async function loadPty(): Promise<typeof import('@lydell/node-pty')> {
  try {
    return await import('@lydell/node-pty');
  } catch (error) {
    throw new WorkspaceError(
      'other',
      `pseudo-terminals are not to be had here: ${(error as Error).message}`,
      error,
    );
  }
}

function cannotStart(file: string, cwd: string, error: unknown): WorkspaceError {
  const { code, message } = error as NodeJS.ErrnoException;
  const kind = code === 'ENOENT' ? 'not_found' : code === 'EACCES' ? 'permission' : 'other';
  return new WorkspaceError(kind, `${file} cannot be started in ${cwd}: ${message}`, error);
}

function signalName(number: number): NodeJS.Signals {
  const entry = Object.entries(constants.signals).find(([, value]) => value === number);
  return (entry?.[0] ?? 'SIGKILL') as NodeJS.Signals;
}

import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { endTree, send } from './process-tree.ts';
import { type Process, type ProcessExit, WorkspaceError } from './workspace.ts';

export interface LocalSpawn {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  /** Its mark in the environment. */
  readonly mark: string;
}

type OutputListener = Parameters<Process['onOutput']>[0];

/** A program on pipes, in a session of its own. */
export async function spawnOnPipes({ argv, cwd, env, mark }: LocalSpawn): Promise<Process> {
  const { spawn } = await import('node:child_process');
  const [file = '', ...args] = argv;
  const child = spawn(file, args, { cwd, env, detached: true, stdio: 'pipe' });
  const exited = new Promise<ProcessExit>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => reject(cannotStart(file, cwd, error)));
  });
  const pid = child.pid as number;
  child.stdin.on('error', () => undefined); // a program may end before it has read its input; `write` says so
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
    terminate: () => endTree(mark, pid, 'SIGTERM'),
    exited,
  };
}

/** Larger writes can block this whole process while the other side waits for it to read. */
const WRITE_BYTES = 1_024;

/** A program on a pseudo-terminal of its own. */
export async function spawnOnPty(
  { argv, cwd, env, mark }: LocalSpawn,
  size: { readonly columns: number; readonly rows: number },
): Promise<Process> {
  const { spawn: spawnPty } = await loadPty();
  const [file = '', ...args] = argv;
  let terminal: ReturnType<typeof spawnPty>;
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
  // Typed as text, but bytes when there is no encoding.
  terminal.onData((bytes) => {
    for (const listener of listeners) listener(bytes as unknown as Buffer, 'stdout');
  });
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
    write: async (data) => {
      const bytes = Buffer.from(data as Uint8Array);
      for (let at = 0; at < bytes.length; at += WRITE_BYTES) {
        if (ended) throw new WorkspaceError('other', 'the process has ended and takes no input');
        if (at > 0) await sleep(1);
        terminal.write(bytes.subarray(at, at + WRITE_BYTES) as never); // typed as text only
      }
    },
    end: () => terminal.write('\u0004'),
    pause: () => terminal.pause(),
    resume: () => terminal.resume(),
    kill: (signal = 'SIGTERM') => send(-terminal.pid, signal),
    // An interactive shell ignores SIGTERM, but not the loss of its terminal.
    terminate: () => endTree(mark, terminal.pid, 'SIGHUP'),
    exited,
  };
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

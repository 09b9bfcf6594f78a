/**
 * The reference's lock on a log: its library holds an `flock` on `events/.eventlog.lock` during each append. Node has no `flock`, so the
 * program of that name holds it for as long as we write; it ends when its standard input does, so the lock never outlives this process.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { LogError } from './log-error.ts';

/** How long an append of the reference may take. */
const WAIT_S = '1';
/** The exit code of `flock` for a lock that is held by others. */
const IS_HELD = 1;

/**
 * Takes the lock of a log that the reference has appended to, and resolves to what releases it. Other logs have no such file, and nothing is
 * started for them. Without the program `flock` the lock is not held, but respected if it shows. Throws LogError `locked`.
 */
export async function holdReferenceLock(directory: string): Promise<() => void> {
  const path = join(directory, 'events', '.eventlog.lock');
  if (!existsSync(path)) return () => undefined;
  // A session of its own: Ctrl-C must not end it before the conversation is closed.
  const holder = spawn('flock', ['-w', WAIT_S, path, 'cat'], {
    stdio: 'pipe',
    detached: true,
    env: pathOnly(),
  });
  const outcome = await outcomeOf(holder);
  if (outcome === 'taken') {
    // A program that does not close its conversation ends all the same.
    for (const each of [holder, holder.stdin, holder.stdout, holder.stderr])
      (each as unknown as Unreferenced).unref();
    return () => end(holder);
  }
  end(holder);
  if (outcome === 'held by others' || isFlocked(path))
    throw new LogError('locked', `${directory} is being appended to by another program`);
  return () => undefined;
}

/** Ends `flock` and `cat` at once: closing their standard input would take effect only when this process is idle. */
function end({ pid, exitCode, signalCode }: ChildProcessWithoutNullStreams): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // They have ended.
  }
}

/** Processes and pipes of Node have it. */
interface Unreferenced {
  unref(): void;
}

type Outcome = 'taken' | 'held by others' | 'unavailable';

/** `cat` repeats a line as soon as it runs, which is when the lock is taken. An unknown option ends it with words on standard error. */
async function outcomeOf(holder: ChildProcessWithoutNullStreams): Promise<Outcome> {
  const ended = new AbortController();
  let complaint = '';
  holder.stderr.on('data', (chunk: Buffer) => {
    complaint += chunk.toString();
  });
  holder.stdin.on('error', () => undefined); // it ended without reading
  holder.stdin.write('\n');
  const { signal } = ended;
  try {
    return await Promise.race([
      once(holder.stdout, 'data', { signal }).then((): Outcome => 'taken'),
      once(holder, 'close', { signal }).then(
        ([code]): Outcome => (code === IS_HELD && complaint === '' ? 'held by others' : 'unavailable'),
      ),
    ]);
  } catch {
    return 'unavailable'; // there is no such program
  } finally {
    ended.abort();
  }
}

function pathOnly(): NodeJS.ProcessEnv {
  const { PATH } = process.env;
  return PATH === undefined ? {} : { PATH };
}

/** On Linux, where `/proc/locks` lists the inode of every lock; false elsewhere. */
function isFlocked(path: string): boolean {
  try {
    const { ino } = statSync(path);
    return readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .some((line) => line.includes(' FLOCK ') && line.includes(`:${ino} `));
  } catch {
    return false; // the file or the list does not exist
  }
}

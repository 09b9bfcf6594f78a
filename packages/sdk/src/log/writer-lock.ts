/**
 * One writer for each folder, by an exclusive SQLite transaction on `.writer.lock`. The operating system releases this lock when
 * the process ends. `writer.json` names the holder. See docs/adr/0003-one-writer.md.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { PRIVATE_FILE } from './disk.ts';
import { LogError } from './log-error.ts';
import { holdReferenceLock } from './reference-lock.ts';

export interface WriterLock {
  /** A random id of this writer. */
  readonly run: string;
  /** Earlier writers that ended without releasing the lock, such as those that were killed; the latest is last. */
  readonly killed: readonly Writer[];
  /** From now on, the next writer gets no list of the killed ones. */
  forgetKilled(): void;
  /** Idempotent. */
  release(): void;
}

/** A writer, as the note beside the lock names it. */
export interface Writer {
  readonly pid: number;
  readonly host: string;
  /** ISO 8601. */
  readonly since: string;
  /** Absent in notes of older versions. */
  readonly run?: string;
}

/** The content of the note: the holder, and the killed writers that nobody has dealt with. */
interface Note extends Writer {
  readonly killed?: readonly Writer[];
}

/** Throws LogError `locked` at once if there is another writer, or after a second if it is of the reference's; `io` if the folder cannot be locked. */
export async function acquireWriterLock(directory: string): Promise<WriterLock> {
  refuseIfLeased(directory);
  const { database, run, before } = openExclusively(directory);
  let held = true;
  let toRestore = before;
  let releaseReference: (() => void) | undefined;
  const lock: WriterLock = {
    run,
    killed: before === null ? [] : killedIn(before),
    forgetKilled: () => {
      toRestore = null;
    },
    release: () => {
      if (!held) return;
      held = false;
      if (toRestore === null) rmSync(join(directory, NOTE), { force: true });
      else writeFileSync(join(directory, NOTE), JSON.stringify(toRestore), { mode: PRIVATE_FILE });
      releaseReference?.();
      database.close();
    },
  };
  try {
    releaseReference = await holdReferenceLock(directory);
    return lock;
  } catch (error) {
    lock.release();
    throw error;
  }
}

const LOCK = '.writer.lock';
const NOTE = 'writer.json';
/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const FOREIGN_CODES: ReadonlySet<unknown> = new Set([11, 26]);

interface Held {
  readonly database: { close(): void };
  readonly run: string;
  /** The note of a writer that did not release the lock. */
  readonly before: Note | null;
}

function openExclusively(directory: string): Held {
  const { DatabaseSync } = loadSqlite();
  let database: InstanceType<typeof DatabaseSync> | undefined;
  try {
    createLockFile(join(directory, LOCK));
    database = new DatabaseSync(join(directory, LOCK), { timeout: 0 });
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    const before = readNote(directory);
    const run = randomUUID();
    const note: Note = {
      ...{ pid: process.pid, host: hostname(), since: new Date().toISOString(), run },
      ...(before === null ? {} : { killed: killedIn(before) }),
    };
    writeFileSync(join(directory, NOTE), JSON.stringify(note), { mode: PRIVATE_FILE });
    return { database, run, before };
  } catch (error) {
    database?.close();
    const message = (error as Error).message;
    if (/locked|busy/.test(message))
      throw new LogError('locked', `${directory} is being written ${holderText(directory)}`, error);
    throw new LogError('io', `${directory} cannot be locked: ${message}${remedyOf(directory, error)}`, error);
  }
}

/** SQLite would make it readable for all. An existing one is not even opened: closing it would release a lock that this process has on it. */
function createLockFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', PRIVATE_FILE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** What to do about a lock file that this program has not made. It holds no data, so it can be deleted. */
function remedyOf(directory: string, error: unknown): string {
  const lock = join(directory, LOCK);
  const isFolder = statSync(lock, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder && !FOREIGN_CODES.has((error as { errcode?: unknown }).errcode)) return '';
  return `; ${lock} is damaged or was made by another program: if no other program uses it, delete it and try again`;
}

/** Node warns on standard error that SQLite is experimental, at the first import. Users cannot act on that, so it is suppressed. */
function loadSqlite(): typeof import('node:sqlite') {
  const emitWarning = process.emitWarning;
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

function holderText(directory: string): string {
  const note = readNote(directory);
  if (note === null) return 'by another process'; // it holds the lock, but has not written its name yet
  return `by process ${note.pid} on ${note.host} since ${note.since}; end it, or wait until it is done`;
}

/** Null if there is none, or if it is torn. */
function readNote(directory: string): Note | null {
  try {
    return JSON.parse(readFileSync(join(directory, NOTE), 'utf8')) as Note;
  } catch {
    return null;
  }
}

function killedIn({ killed = [], ...last }: Note): readonly Writer[] {
  return [...killed, last];
}

/** The reference's server keeps a lease. */
function refuseIfLeased(directory: string): void {
  const lease = readLease(directory);
  if (lease !== null) {
    const until = new Date(lease.expires_at * 1_000).toISOString();
    const who = `${lease.owner_instance_id} (process ${lease.owner_pid ?? '?'} on ${lease.owner_host ?? '?'})`;
    throw new LogError('locked', `${directory} is leased to the server ${who} until ${until}`);
  }
}

interface Lease {
  readonly owner_instance_id: string;
  readonly expires_at: number;
  readonly owner_host?: string;
  readonly owner_pid?: number;
}

/** Null if there is no lease, if it has expired, or if its owner was a process of this host that has ended. */
function readLease(directory: string): Lease | null {
  let lease: Lease;
  try {
    lease = JSON.parse(readFileSync(join(directory, 'owner_lease.json'), 'utf8')) as Lease;
  } catch {
    return null; // absent or malformed: the lock of the operating system decides
  }
  if (typeof lease.expires_at !== 'number' || lease.expires_at * 1_000 < Date.now()) return null;
  const isDead =
    lease.owner_host === hostname() && lease.owner_pid !== undefined && !isAlive(lease.owner_pid);
  return isDead ? null : lease;
}

/** Whether there is a process with this id on this machine. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

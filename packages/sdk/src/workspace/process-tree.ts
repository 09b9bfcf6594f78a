/**
 * Ends a process and all its descendants. Every process that we start has a mark in its environment, which its descendants
 * inherit; on Linux it identifies them even in a session of their own or with another parent, and after this program was killed.
 * Processes that cleared their environment are found by their session, or while their parents live.
 */
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** The environment variable of the mark. */
export const PROCESS_MARK = 'LONGHAND_PROCESS';

const GRACE_MS = 1_000;
const POLL_MS = 10;
/** The first polls come faster, since most processes end at once. */
const FIRST_POLLS = 8;

/**
 * The group that a process leads, or null if its id may have been reused. Off Linux, where marks cannot be read, the group
 * is the only way to find what an exited process left behind.
 */
export function groupOf(pid: number, hasExited: boolean): number | null {
  return hasExited && process.platform === 'linux' ? null : pid;
}

/**
 * Sends `signal` to the group of `leader`, SIGTERM to all other descendants, and SIGKILL to what is left after a second.
 * Resolves when nothing is left.
 */
export async function endTree(mark: string, leader: number | null, signal: NodeJS.Signals): Promise<void> {
  // Before the first signal: a process whose parent has ended can no longer be traced.
  const tree = treeOf(mark, leader);
  if (leader !== null) send(-leader, signal);
  for (const { pid } of tree) if (pid !== leader) send(pid, 'SIGTERM');
  const group = leader === null ? [] : [leader];
  const isLeft = () => group.some(isAlive) || tree.some(isStillThere);
  const deadline = performance.now() + GRACE_MS;
  for (let polls = 0; isLeft() && performance.now() < deadline; polls += 1) {
    await sleep(polls < FIRST_POLLS ? 1 : POLL_MS);
  }
  for (let round = 0; round < 5; round += 1) {
    const left = [...tree.filter(isStillThere), ...treeOf(mark, null)].map(({ pid }) => pid);
    left.push(...group.filter(isAlive));
    if (left.length === 0) return;
    for (const pid of group) send(-pid, 'SIGKILL');
    for (const pid of left) send(pid, 'SIGKILL');
    await sleep(POLL_MS);
  }
}

/** A process according to `/proc/<pid>/stat`. */
export interface Status {
  readonly pid: number;
  readonly isZombie: boolean;
  readonly parent: number;
  readonly session: number;
  /** In clock ticks since boot. Together with `pid` it identifies the process, even if the id is reused. */
  readonly startedAt: number;
}

/**
 * Processes with the mark or in the session of `leader`, and their descendants, which may have cleared their environment.
 * Empty where there is no `/proc`. Only environments of processes younger than this one are read: most are older, and
 * reading an environment takes five times as long as reading a status.
 */
function treeOf(mark: string, leader: number | null): readonly Status[] {
  const ownStart = statusOf(process.pid)?.startedAt ?? 0;
  const all = running().filter((each) => each.startedAt >= ownStart);
  return withDescendants(
    all.filter(({ pid, session }) => session === leader || isMarked(pid, [mark])),
    all,
  );
}

/**
 * Processes with a mark that begins with one of `marks`, and their descendants; whoever started this program is not among them. Null where
 * there is no `/proc`.
 */
export function markedTree(marks: readonly string[]): readonly Status[] | null {
  const own = statusOf(process.pid);
  if (own === null) return null;
  const all = running();
  const ancestors = new Set<number>();
  for (let above: Status | undefined = own; above !== undefined && above.pid > 1; ) {
    const { parent }: Status = above;
    ancestors.add(parent);
    above = all.find(({ pid }) => pid === parent);
  }
  return withDescendants(
    all.filter(({ pid }) => !ancestors.has(pid) && isMarked(pid, marks)),
    all,
  );
}

function running(): readonly Status[] {
  return processIds()
    .map(statusOf)
    .filter((each) => each !== null)
    .filter(({ isZombie }) => !isZombie);
}

function isMarked(pid: number, marks: readonly string[]): boolean {
  const environment = environmentOf(pid);
  return marks.some((mark) => environment.includes(`${PROCESS_MARK}=${mark}`));
}

function withDescendants(roots: readonly Status[], all: readonly Status[]): readonly Status[] {
  const tree = new Set(roots);
  // Iterating over a set also visits elements that are added on the way.
  for (const { pid } of tree) for (const each of all) if (each.parent === pid) tree.add(each);
  return [...tree];
}

/** Larger than any status, which is a name of 16 bytes and 51 numbers. */
const STATUS = Buffer.alloc(2_048);

function statusOf(pid: number): Status | null {
  try {
    const file = openSync(`/proc/${pid}/stat`, 'r');
    const stat = STATUS.toString('latin1', 0, readSync(file, STATUS));
    closeSync(file);
    // The name, which may contain anything, is in parentheses before these.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return {
      pid,
      isZombie: fields[0] === 'Z',
      parent: Number(fields[1]),
      session: Number(fields[3]),
      startedAt: Number(fields[19]),
    };
  } catch {
    return null; // the process is gone, or there is no /proc
  }
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return ''; // the process is gone or another user's
  }
}

function processIds(): number[] {
  try {
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 1 && pid !== process.pid);
  } catch {
    return [];
  }
}

/** Whether it has not ended; its id may have been reused since. */
export function isStillThere({ pid, startedAt }: Status): boolean {
  const now = statusOf(pid);
  return now !== null && !now.isZombie && now.startedAt === startedAt;
}

/** Whether a process runs; zombies do not count. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const status = statusOf(pid);
  return status === null ? process.platform !== 'linux' : !status.isZombie;
}

/** Sends a signal to a process, or to a group if `pid` is negative. Ignores processes that are gone. */
export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (
      (error as NodeJS.ErrnoException).code !== 'ESRCH' &&
      (error as NodeJS.ErrnoException).code !== 'EPERM'
    )
      throw error;
  }
}

/**
 * Ending a process with all that came of it. Every process that we start carries a mark in its environment, which its
 * descendants inherit; on Linux they are found by it even when they have a session of their own or another parent. Those that
 * have cleared their environment are found by their session, or as long as their parents live.
 */
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** The name of the mark in the environment. */
export const PROCESS_MARK = 'LONGHAND_PROCESS';

const GRACE_MS = 1_000;
const POLL_MS = 10;
/** Most end at once, and somebody may be waiting. */
const FIRST_POLLS = 8;

/**
 * The group that a process leads, or null when the number may be another's by now: numbers are given again. Where marks
 * cannot be read, there is nothing else to find what the process has left behind.
 */
export function groupOf(pid: number, hasExited: boolean): number | null {
  return hasExited && process.platform === 'linux' ? null : pid;
}

/**
 * Asks the group of `leader` first, with `signal`, and all that came of it; kills what is left after a second.
 * Resolves when nothing of it is left.
 */
export async function endTree(mark: string, leader: number | null, signal: NodeJS.Signals): Promise<void> {
  // Before the first signal: whose parent has ended can no longer be told.
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

/** A process as `/proc/<pid>/stat` tells of it. */
interface Status {
  readonly pid: number;
  readonly isZombie: boolean;
  readonly parent: number;
  readonly session: number;
  /** In clock ticks since boot. With `pid`, it tells the process from one that gets the same number later. */
  readonly startedAt: number;
}

/**
 * Processes that carry the mark, and those in the session of `leader`; and what came of these, which may have cleared its
 * environment. None where there is no `/proc`. Environments are read only of processes younger than this one: most are
 * older, and to read an environment takes five times as long as to read a status.
 */
function treeOf(mark: string, leader: number | null): readonly Status[] {
  const needle = `${PROCESS_MARK}=${mark}`;
  const ownStart = statusOf(process.pid)?.startedAt ?? 0;
  const all = processIds()
    .map(statusOf)
    .filter((each) => each !== null && !each.isZombie && each.startedAt >= ownStart) as Status[];
  const isOurs = ({ pid, session }: Status) => session === leader || environmentOf(pid).includes(needle);
  const tree = new Set(all.filter(isOurs));
  // A set that is added to while it is gone through yields what was added.
  for (const { pid } of tree) for (const each of all) if (each.parent === pid) tree.add(each);
  return [...tree];
}

/** Longer than any status: a name of 16 bytes and 51 numbers. */
const STATUS = Buffer.alloc(2_048);

function statusOf(pid: number): Status | null {
  try {
    const file = openSync(`/proc/${pid}/stat`, 'r');
    const stat = STATUS.toString('latin1', 0, readSync(file, STATUS));
    closeSync(file);
    // Behind the name, which may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return {
      pid,
      isZombie: fields[0] === 'Z',
      parent: Number(fields[1]),
      session: Number(fields[3]),
      startedAt: Number(fields[19]),
    };
  } catch {
    return null; // gone meanwhile, or there is no such file here
  }
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return ''; // gone meanwhile, or another user's
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

function isStillThere({ pid, startedAt }: Status): boolean {
  const now = statusOf(pid);
  return now !== null && !now.isZombie && now.startedAt === startedAt;
}

/** A process that has ended but was not waited for does not count. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const status = statusOf(pid);
  return status === null ? process.platform !== 'linux' : !status.isZombie;
}

/** To a process, or with a negative number to its group; one that is gone is none of our business. */
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

/**
 * Ending a process with all that came of it. Every process that we start carries a mark in its environment, which its
 * descendants inherit; on Linux they are found by it even when they have a session of their own or another parent.
 */
import { readdirSync, readFileSync } from 'node:fs';
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
 * Asks the group of `leader` first, with `signal`, and all that carry the mark; kills what is left after a second.
 * Resolves when nothing with the mark is left.
 */
export async function endTree(mark: string, leader: number | null, signal: NodeJS.Signals): Promise<void> {
  if (leader !== null) send(-leader, signal);
  const marked = markedProcesses(mark);
  for (const pid of marked) if (pid !== leader) send(pid, 'SIGTERM');
  const group = leader === null ? [] : [leader];
  const deadline = performance.now() + GRACE_MS;
  for (let polls = 0; [...group, ...marked].some(isAlive) && performance.now() < deadline; polls += 1) {
    await sleep(polls < FIRST_POLLS ? 1 : POLL_MS);
  }
  for (let round = 0; round < 5; round += 1) {
    const left = markedProcesses(mark);
    left.push(...group.filter(isAlive));
    if (left.length === 0) return;
    for (const pid of group) send(-pid, 'SIGKILL');
    for (const pid of left) send(pid, 'SIGKILL');
    await sleep(POLL_MS);
  }
}

/** Processes that carry the mark; none where there is no `/proc`. */
function markedProcesses(mark: string): number[] {
  const needle = `${PROCESS_MARK}=${mark}`;
  return processIds().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(needle);
    } catch {
      return false; // gone meanwhile, or another user's
    }
  });
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

/** A process that has ended but was not waited for does not count. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.charAt(stat.lastIndexOf(')') + 2) !== 'Z';
  } catch {
    return process.platform !== 'linux';
  }
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

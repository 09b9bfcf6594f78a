/** Ends what runs that were killed have left running, found by the mark in the environment of each program: see `process-tree.ts`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive, isStillThere, markedTree, PROCESS_MARK, send } from './process-tree.ts';
import type { Leftovers } from './workspace.ts';

const ROUNDS = 5;
const POLL_MS = 10;
/** How long a killed process may take to disappear. */
const GONE_MS = 1_000;
const LIST_TIMEOUT_MS = 5_000;

/** A program, and whether it has not ended yet. */
interface Program {
  readonly pid: number;
  readonly isThere: () => boolean;
}

/**
 * Kills every process with a mark that begins with one of `marks`. All are stopped first: a shell whose command is killed would otherwise go
 * on to its next command. Never rejects. Off Linux, programs are found through `ps`, which does not show every environment, so that others
 * may be left.
 */
export async function endMarked(marks: readonly string[]): Promise<Leftovers> {
  if (marks.length === 0) return { ended: 0, isSure: true };
  const ended = new Set<number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const { programs, isComplete } = await find(marks);
    if (programs.length === 0) return { ended: ended.size, isSure: isComplete };
    for (const signal of ['SIGSTOP', 'SIGKILL'] as const) for (const { pid } of programs) send(pid, signal);
    const deadline = performance.now() + GONE_MS;
    while (programs.some(({ isThere }) => isThere()) && performance.now() < deadline) await sleep(POLL_MS);
    for (const { pid, isThere } of programs) if (!isThere()) ended.add(pid);
  }
  return { ended: ended.size, isSure: false };
}

async function find(
  marks: readonly string[],
): Promise<{ readonly programs: readonly Program[]; readonly isComplete: boolean }> {
  const tree = markedTree(marks);
  if (tree !== null)
    return {
      programs: tree.map((each) => ({ pid: each.pid, isThere: () => isStillThere(each) })),
      isComplete: true,
    };
  const pids = markedIn(await listProcesses(), marks).filter(
    (pid) => pid !== process.pid && pid !== process.ppid,
  );
  return { programs: pids.map((pid) => ({ pid, isThere: () => isAlive(pid) })), isComplete: false };
}

/** The processes of a list by `ps axeww -o pid=,command=` whose environment has one of the marks. */
export function markedIn(list: string, marks: readonly string[]): readonly number[] {
  return list
    .split('\n')
    .filter((line) => marks.some((mark) => line.includes(` ${PROCESS_MARK}=${mark}`)))
    .map((line) => Number.parseInt(line, 10))
    .filter((pid) => pid > 1);
}

/** Empty if there is no `ps`. */
export async function listProcesses(): Promise<string> {
  const { execFile } = await import('node:child_process');
  return await new Promise((resolve) => {
    const options = { timeout: LIST_TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 };
    execFile('ps', ['axeww', '-o', 'pid=,command='], options, (_, stdout) => resolve(stdout));
  });
}

/**
 * Ends the programs of workspaces that were not closed when this process ends, for instance because closing hung and its time was up. A
 * process that is killed cannot do that: what it leaves is ended by the run that resumes its conversation, see `leftovers.ts`.
 */
import { markedTree, send } from './process-tree.ts';

/** The process ids of programs that were not terminated, by their marks. */
const programs = new Map<string, number>();
let isListening = false;

/** A program may start others while it is looked for. */
const ROUNDS = 3;

/** The program ends with this process. Returns a function to call when it was terminated. */
export function endAtExit(mark: string, pid: number): () => void {
  programs.set(mark, pid);
  if (!isListening) process.once('exit', endAll);
  isListening = true;
  return () => programs.delete(mark);
}

function endAll(): void {
  for (let round = 0; programs.size > 0 && round < ROUNDS; round += 1) {
    const tree = markedTree([...programs.keys()]);
    if (tree?.length === 0) return;
    if (tree === null) for (const pid of programs.values()) send(-pid, 'SIGKILL');
    else for (const { pid } of tree) send(pid, 'SIGKILL');
  }
}

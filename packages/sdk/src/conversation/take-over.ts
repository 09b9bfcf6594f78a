import { hostname } from 'node:os';
import { isAlive, type WriterLock } from '../log/writer-lock.ts';
import type { Leftovers, Workspace } from '../workspace/workspace.ts';

/**
 * Marks the programs of a workspace as those of this run of the conversation, and ends what earlier runs have left that were killed. Null if
 * none was killed. Never rejects.
 */
export async function takeOver(
  workspace: Workspace,
  conversationId: string,
  { run, killed }: Pick<WriterLock, 'run' | 'killed'>,
): Promise<Leftovers | null> {
  const mark = (of: string) => `${conversationId}.${of}`;
  const isHere = ({ host }: { readonly host: string }) => host === hostname();
  // The folder may be a copy of one that is still being written.
  const dead = killed.filter((each) => !isHere(each) || !isAlive(each.pid));
  const marks = dead.flatMap((each) => (each.run === undefined ? [] : [mark(each.run)]));
  const found = await workspace.takeOver?.(mark(run), marks).catch(() => undefined);
  if (killed.length === 0) return null;
  const areAllKnown = marks.length === killed.length && killed.every(isHere);
  return { ended: found?.ended ?? 0, isSure: found?.isSure === true && areAllKnown };
}

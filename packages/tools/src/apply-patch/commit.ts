import { randomUUID } from 'node:crypto';
import { posix } from 'node:path';
import { ToolError, type Workspace } from '@longhand/sdk';
import { createFile } from '../create-file.ts';

/** A change to one file. */
export type FileChange =
  | { readonly type: 'write'; readonly path: string; readonly bytes: Uint8Array; readonly before: Uint8Array }
  | { readonly type: 'create'; readonly path: string; readonly bytes: Uint8Array; readonly mode?: number }
  | { readonly type: 'remove'; readonly path: string };

/** Makes all changes or none. Throws the error after reverting what was done. */
export async function commit(changes: readonly FileChange[], workspace: Workspace): Promise<void> {
  const undo: (() => Promise<void>)[] = [];
  const aside: string[] = [];
  try {
    for (const change of changes) await carryOut(change, workspace, undo, aside);
  } catch (error) {
    await rollBack(undo, error);
  }
  await Promise.all(aside.map((path) => workspace.remove(path)));
}

async function carryOut(
  change: FileChange,
  workspace: Workspace,
  undo: (() => Promise<void>)[],
  aside: string[],
): Promise<void> {
  const { path } = change;
  if (change.type === 'write') {
    await workspace.writeFile(path, change.bytes);
    undo.push(() => workspace.writeFile(path, change.before));
  } else if (change.type === 'create') {
    undo.push(await createFile(path, change.bytes, workspace, change.mode));
  } else {
    // Kept aside until everything else is done: links, owner and other names of the file cannot be recreated.
    const name = `.${posix.basename(path).slice(0, 50)}.${randomUUID().slice(0, 8)}.tmp`;
    const away = posix.join(posix.dirname(path), name);
    await workspace.rename(path, away);
    aside.push(away);
    undo.push(() => workspace.rename(away, path));
  }
}

async function rollBack(undo: readonly (() => Promise<void>)[], error: unknown): Promise<never> {
  const reason = error instanceof Error ? error.message : String(error);
  for (const step of [...undo].reverse()) {
    try {
      await step();
    } catch (failed) {
      throw new ToolError(
        `The patch could not be written (${reason}), and not all of it could be reverted: ${(failed as Error).message}`,
      );
    }
  }
  throw new ToolError(`The patch could not be written, and nothing was changed: ${reason}`);
}

import { randomUUID } from 'node:crypto';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import {
  chmod,
  chown,
  lstat,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { basename, delimiter, dirname, join, resolve, sep } from 'node:path';
import { makeFolderAsync } from '../value/make-folder.ts';
import { endAtExit } from './at-exit.ts';
import { endMarked } from './leftovers.ts';
import { type LocalSpawn, spawnOnPipes, spawnOnPty } from './local-process.ts';
import { PROCESS_MARK } from './process-tree.ts';
import {
  type DirectoryEntry,
  type FileStat,
  type Process,
  type SpawnOptions,
  type Workspace,
  WorkspaceError,
} from './workspace.ts';

/** A folder of this machine, accessed as the current user. Throws a WorkspaceError if it is not a folder. */
export function openLocalWorkspace(folder: string): Workspace {
  const root = resolve(folder);
  const found = statSync(root, { throwIfNoEntry: false });
  if (found === undefined) throw new WorkspaceError('not_found', `there is no folder ${root}`);
  if (!found.isDirectory()) throw new WorkspaceError('not_a_directory', `${root} is not a folder`);

  /** Includes processes that are still starting. */
  const processes = new Set<Promise<Process>>();
  let closed = false;
  let run: string | null = null;
  return {
    root,
    platform: process.platform,
    spawn: async (argv, options = {}) => {
      if (closed) throw new WorkspaceError('other', 'the workspace is closed');
      const mark = run === null ? randomUUID() : `${run}.${randomUUID()}`;
      const launch = { argv, cwd: options.cwd ?? root, env: environment(options.env, mark), mark };
      const starting = start(launch, options.pty);
      processes.add(starting);
      try {
        const started = await starting;
        return {
          ...started,
          terminate: async () => {
            await started.terminate();
            processes.delete(starting);
          },
        };
      } catch (error) {
        processes.delete(starting);
        throw error;
      }
    },
    readFile: (path, span) => named(path, () => read(path, span)),
    writeFile: (path, data, options = {}) => named(path, () => writeWhole(path, data, options.mode ?? 0o666)),
    stat: (path) => named(path, () => statOf(path)),
    which: async (names) => names.filter(isProgram),
    list: (path) => named(path, () => listOf(path)),
    remove: (path) => named(path, () => rm(path, { recursive: true })),
    rename: (from, to) => named(from, () => rename(from, to)),
    makeDirectory: (path) => named(path, () => makeFolderAsync(path)),
    realPath: (path) => named(path, () => realPathOf(path)),
    takeOver: (taker, killed) => {
      run = taker;
      return endMarked(killed.map((each) => `${each}.`));
    },
    close: async () => {
      closed = true;
      const running = [...processes];
      processes.clear();
      await Promise.all(
        running.map((each) =>
          each.then(
            (started) => started.terminate(),
            () => undefined, // it never started
          ),
        ),
      );
    },
  };
}

/** A program that also ends with this process. */
async function start(launch: LocalSpawn, pty: SpawnOptions['pty']): Promise<Process> {
  const started = pty === undefined ? await spawnOnPipes(launch) : await spawnOnPty(launch, pty);
  const forget = endAtExit(launch.mark, started.pid);
  return {
    ...started,
    terminate: async () => {
      await started.terminate();
      forget();
    },
  };
}

function environment(changes: SpawnOptions['env'], mark: string): Record<string, string> {
  const merged = { ...process.env, ...changes, [PROCESS_MARK]: mark };
  return Object.fromEntries(
    Object.entries(merged).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Searches the PATH here; asking a shell would take longer than the rest of the start. */
function isProgram(name: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    const path = `${folder}${sep}${name}`;
    if (!existsSync(path)) return false; // unlike `accessSync`, it makes no error, and most of them do not exist
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

async function read(
  path: string,
  span?: { readonly offset: number; readonly length: number },
): Promise<Uint8Array> {
  if (span === undefined) return await readFile(path);
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(span.length), 0, span.length, span.offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Writes a temporary file and renames it, so that no reader sees a part; in place if the file has several hard links. */
async function writeWhole(path: string, data: Uint8Array, mode: number): Promise<void> {
  const target = await realPathOf(path);
  const before = await stat(target).catch(() => null);
  if (before !== null && before.nlink > 1) {
    return await writeInPlace(target, data);
  }
  // The target's name may already have the maximum length.
  const name = `.${basename(target).slice(0, 50)}.${randomUUID().slice(0, 8)}.tmp`;
  const temporary = join(dirname(target), name);
  try {
    await writeFile(temporary, data, { mode, flag: 'wx' });
    if (before !== null) {
      // Only root may change the owner, which clears set-user-ID bits; so the mode is set afterwards.
      await chown(temporary, before.uid, before.gid).catch(() => undefined);
      await chmod(temporary, before.mode & 0o7777);
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Restores the old content if writing fails. */
async function writeInPlace(path: string, data: Uint8Array): Promise<void> {
  const before = await readFile(path);
  try {
    await writeFile(path, data);
  } catch (error) {
    await writeFile(path, before);
    throw error;
  }
}

async function statOf(path: string): Promise<FileStat | null> {
  try {
    const found = await stat(path);
    return {
      type: found.isFile() ? 'file' : found.isDirectory() ? 'directory' : 'other',
      sizeBytes: found.size,
      modifiedMs: found.mtimeMs,
      mode: found.mode & 0o7777,
      ...(found.isFile() && found.nlink > 1 ? { hardLinkId: `${found.dev}:${found.ino}` } : {}),
    };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

async function listOf(path: string): Promise<readonly DirectoryEntry[]> {
  const entries = await readdir(path, { withFileTypes: true });
  return await Promise.all(
    entries.map(async (entry): Promise<DirectoryEntry> => {
      const { name } = entry;
      if (entry.isFile()) return { name, type: 'file' };
      if (entry.isDirectory()) return { name, type: 'directory' };
      return { name, type: (await statOf(join(path, name)).catch(() => null))?.type ?? 'other' };
    }),
  );
}

async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    if ((await lstat(path).catch(() => null))?.isSymbolicLink()) throw error;
    return join(await realPathOf(dirname(path)), basename(path));
  }
}

const CODES: { readonly [code: string]: WorkspaceError['code'] } = {
  ENOENT: 'not_found',
  EEXIST: 'exists',
  EACCES: 'permission',
  EPERM: 'permission',
  EROFS: 'permission',
  ENOTDIR: 'not_a_directory',
  EISDIR: 'is_a_directory',
  ENOSPC: 'storage_full',
  EDQUOT: 'storage_full',
};

async function named<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new WorkspaceError(CODES[code ?? ''] ?? 'other', `${path}: ${message}`, error);
  }
}

/** The only way in which tools touch the world: files and processes of one place. */
export interface Workspace {
  /** Absolute path of the folder that the agent works in. */
  readonly root: string;
  /** `linux`, `darwin`, ... of the place itself, which need not be this machine. */
  readonly platform: NodeJS.Platform;

  /** Starts a program. Rejects with a WorkspaceError if it cannot be started. */
  spawn(argv: readonly string[], options?: SpawnOptions): Promise<Process>;

  /** Reads a whole file, or the given span of bytes. Throws a WorkspaceError (`not_found`, `permission`, ...). */
  readFile(path: string, span?: { readonly offset: number; readonly length: number }): Promise<Uint8Array>;
  /**
   * Writes a whole file at once: a reader sees the old bytes or the new, never a part. Follows symbolic links, and
   * keeps permission bits, owner and hard links of a file that exists. `mode` is for a new file.
   */
  writeFile(path: string, data: Uint8Array, options?: { readonly mode?: number }): Promise<void>;
  /** Null if there is nothing at `path`. Follows symbolic links. */
  stat(path: string): Promise<FileStat | null>;
  list(path: string): Promise<readonly DirectoryEntry[]>;
  remove(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Makes the folder and its parents; it may exist already. */
  makeDirectory(path: string): Promise<void>;
  /** Those of the programs that can be started by name. */
  which(names: readonly string[]): Promise<readonly string[]>;
  /** The path with symbolic links resolved; of a path that does not exist, its deepest existing parent's. */
  realPath(path: string): Promise<string>;

  /** Ends every process that was started here, with all its descendants. Idempotent. */
  close(): Promise<void>;
}

export interface FileStat {
  readonly type: 'file' | 'directory' | 'other';
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  /** Permission bits, e.g. 0o644. */
  readonly mode: number;
}

export interface DirectoryEntry {
  readonly name: string;
  /** Of what a symbolic link points to; `other` for a dangling one. */
  readonly type: 'file' | 'directory' | 'other';
}

/** How a program is started: its folder, environment and terminal. */
export interface SpawnOptions {
  /** Absolute; default: the workspace's root. */
  readonly cwd?: string;
  /** Added to the inherited environment; `undefined` removes a name. */
  readonly env?: { readonly [name: string]: string | undefined };
  /** Give it a pseudo-terminal of this size instead of pipes; standard error is then part of the output. */
  readonly pty?: { readonly columns: number; readonly rows: number };
}

/** A running program of a workspace. */
export interface Process {
  readonly pid: number;
  /** True if it has a pseudo-terminal. */
  readonly isTty: boolean;
  /** Raw bytes in order of arrival; `stderr` only without a terminal. Returns a function that stops listening. */
  onOutput(listener: (bytes: Uint8Array, stream: 'stdout' | 'stderr') => void): () => void;
  /** Resolves when the bytes are handed over. Rejects if the process has ended. */
  write(data: Uint8Array | string): Promise<void>;
  /** Ends standard input. */
  end(): void;
  /** Holds output back, for a listener that cannot keep up. */
  pause(): void;
  resume(): void;
  /** Sends a signal to the whole process group. */
  kill(signal?: NodeJS.Signals): void;
  /** Ends the process and all its descendants, those in sessions of their own included: TERM, then KILL. */
  terminate(): Promise<void>;
  /** Resolves when the process has ended and its output has been delivered; never rejects. */
  readonly exited: Promise<ProcessExit>;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export type WorkspaceErrorCode =
  | 'not_found'
  | 'exists'
  | 'permission'
  | 'not_a_directory'
  | 'is_a_directory'
  | 'storage_full'
  | 'other';

/** A file or process operation that failed. `message` names the path or program and the reason. */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError';
  readonly code: WorkspaceErrorCode;

  constructor(code: WorkspaceErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** Files and processes of one machine or container: the only way in which tools touch the world. */
export interface Workspace {
  /** Absolute path of the folder that the agent works in. */
  readonly root: string;
  /** Platform of the workspace itself, which need not be this machine. */
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
  /** Null if `path` does not exist. Follows symbolic links. */
  stat(path: string): Promise<FileStat | null>;
  list(path: string): Promise<readonly DirectoryEntry[]>;
  remove(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Creates the folder and its parents; it may already exist. */
  makeDirectory(path: string): Promise<void>;
  /** Returns those of the programs that the PATH has. */
  which(names: readonly string[]): Promise<readonly string[]>;
  /** Resolves symbolic links. If the path does not exist, those of its deepest existing parent. */
  realPath(path: string): Promise<string>;

  /**
   * Marks every program that is started from now on as one of the run `run`, and ends the programs that carry the mark of one of the runs
   * `killed`, with their descendants: those runs were killed and could not do it. Absent where programs cannot be marked.
   */
  takeOver?(run: string, killed: readonly string[]): Promise<Leftovers>;
  /** Ends every process that was started here, and all descendants. Idempotent. */
  close(): Promise<void>;
}

/** What runs that were killed had left running. */
export interface Leftovers {
  /** How many programs were found and ended. */
  readonly ended: number;
  /** False if others may still be running: because they cannot all be recognised here, or did not end. */
  readonly isSure: boolean;
}

export interface FileStat {
  readonly type: 'file' | 'directory' | 'other';
  readonly sizeBytes: number;
  readonly modifiedMs: number;
  /** Permission bits, e.g. 0o644. */
  readonly mode: number;
  /** Present if the file has several names (hard links): the same for all of them. */
  readonly hardLinkId?: string;
}

export interface DirectoryEntry {
  readonly name: string;
  /** The type of a symbolic link's target; `other` for a dangling link. */
  readonly type: 'file' | 'directory' | 'other';
}

/** How a program is started: its folder, environment and terminal. */
export interface SpawnOptions {
  /** Absolute path. Default: the workspace's root. */
  readonly cwd?: string;
  /** Added to the inherited environment; `undefined` removes a name. */
  readonly env?: { readonly [name: string]: string | undefined };
  /** Use a pseudo-terminal of this size instead of pipes; standard error is then part of the output. */
  readonly pty?: { readonly columns: number; readonly rows: number };
}

/** A running program of a workspace. */
export interface Process {
  readonly pid: number;
  /** True if it has a pseudo-terminal. */
  readonly isTty: boolean;
  /** Raw bytes in order of arrival; `stderr` only without a terminal. Returns a function that stops listening. */
  onOutput(listener: (bytes: Uint8Array, stream: 'stdout' | 'stderr') => void): () => void;
  /** Resolves when the bytes are accepted. Rejects if the process has ended. */
  write(data: Uint8Array | string): Promise<void>;
  /** Ends standard input. */
  end(): void;
  /** Stops delivering output until `resume`. */
  pause(): void;
  resume(): void;
  /** Sends a signal to the whole process group. */
  kill(signal?: NodeJS.Signals): void;
  /** Ends the process and all its descendants, including those in sessions of their own: SIGTERM, then SIGKILL. */
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

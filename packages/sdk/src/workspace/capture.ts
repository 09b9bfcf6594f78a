import type { ProcessExit, SpawnOptions, Workspace } from './workspace.ts';

export interface CaptureOptions extends Pick<SpawnOptions, 'cwd' | 'env'> {
  /** For its standard input, which ends behind it. */
  readonly input?: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Of each stream; what comes after is let go. */
  readonly maxBytes?: number;
}

export interface Captured {
  /** Null if its time was over. */
  readonly exit: ProcessExit | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Both, in the order in which they came. */
  readonly output: string;
}

const MAX_BYTES = 1_000_000;

/**
 * Runs a program to its end, or to the end of its time; nothing of it goes on behind that. Rejects with the reason of `signal`
 * when that is aborted, and with a WorkspaceError if the program cannot be started.
 */
export async function capture(
  workspace: Workspace,
  argv: readonly string[],
  { input = '', timeoutMs, signal, maxBytes = MAX_BYTES, ...where }: CaptureOptions,
): Promise<Captured> {
  signal?.throwIfAborted();
  const process = await workspace.spawn(argv, where);
  const pieces: { readonly stream: 'stdout' | 'stderr'; readonly bytes: Uint8Array }[] = [];
  const room = { stdout: maxBytes, stderr: maxBytes };
  process.onOutput((bytes, stream) => {
    if (room[stream] > 0) pieces.push({ stream, bytes: bytes.subarray(0, room[stream]) });
    room[stream] -= bytes.length;
  });
  const { promise: stopped, resolve: stop } = Promise.withResolvers<null>();
  const onAbort = () => stop(null);
  const timer = setTimeout(onAbort, timeoutMs);
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted === true) onAbort();
  try {
    // It need not read what it is told, so nobody waits for that.
    void process
      .write(input)
      .catch(() => undefined)
      .then(() => process.end());
    const exit = await Promise.race([process.exited, stopped]);
    signal?.throwIfAborted();
    const text = (of: (stream: 'stdout' | 'stderr') => boolean) =>
      Buffer.concat(pieces.flatMap(({ stream, bytes }) => (of(stream) ? [bytes] : []))).toString();
    return {
      exit,
      stdout: text((stream) => stream === 'stdout'),
      stderr: text((stream) => stream === 'stderr'),
      output: text(() => true),
    };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    await process.terminate();
  }
}

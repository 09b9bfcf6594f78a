import type { ProcessExit, SpawnOptions, Workspace } from './workspace.ts';

export interface CaptureOptions extends Pick<SpawnOptions, 'cwd' | 'env'> {
  /** Written to standard input, which is then closed. */
  readonly input?: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Limit for each stream; the rest is dropped. */
  readonly maxBytes?: number;
}

export interface Captured {
  /** Null after a timeout. */
  readonly exit: ProcessExit | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Both streams, in order of arrival. */
  readonly output: string;
}

const MAX_BYTES = 1_000_000;

/**
 * Runs a program until it exits or times out; then nothing of it is left running. Rejects with the reason of `signal` if
 * that is aborted, and with a WorkspaceError if the program cannot be started.
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
    // The program need not read its input, so do not wait for the write.
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

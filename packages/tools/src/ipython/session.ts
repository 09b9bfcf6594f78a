import type { Process } from '@longhand/sdk';
import type { ProcessExit } from '@longhand/sdk/internal';
import type { CellOutput } from './output.ts';

/** A Python that keeps its variables from cell to cell. */
export interface Session {
  readonly process: Process;
  /** What cells print, and background output between them. */
  readonly output: CellOutput;
  /** Resolves when the cell has ended and all that it shows is in `output`; not at all if Python ends. */
  execute(code: string): Promise<CellStatus>;
  /** Asks the running cell to end. */
  interrupt(): void;
  /** What Python printed when it ended. */
  lastOutput(): string;
  /** Ends the session and leaves no process or file behind. Idempotent. */
  close(): Promise<void>;
}

/** `exit`: the cell asked Python to end. */
export type CellStatus = 'ok' | 'error' | 'exit';

export type CellEnd =
  | { readonly kind: CellStatus }
  | { readonly kind: 'late' | 'aborted'; readonly isAlive: boolean }
  | { readonly kind: 'died'; readonly exit: ProcessExit };

/** How long an interrupted cell may take to end before its Python is terminated. */
const INTERRUPT_MS = 3_000;

/** Runs a cell until it ends, times out, or the user interrupts. */
export async function runCell(
  session: Session,
  code: string,
  limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<CellEnd> {
  const ended = Promise.race([
    session.execute(code).then((kind): CellEnd => ({ kind })),
    session.process.exited.then((exit): CellEnd => ({ kind: 'died', exit })),
  ]);
  const first = await within(limits.timeoutMs, ended, limits.signal);
  if (typeof first === 'object') return first;
  session.interrupt();
  const second = await within(INTERRUPT_MS, ended);
  return { kind: first, isAlive: typeof second === 'object' && second.kind !== 'died' };
}

async function within<T>(
  ms: number,
  work: Promise<T>,
  signal?: AbortSignal,
): Promise<T | 'late' | 'aborted'> {
  const { promise: cut, resolve } = Promise.withResolvers<'late' | 'aborted'>();
  const onAbort = () => resolve('aborted');
  const timer = setTimeout(() => resolve('late'), ms);
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, cut]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

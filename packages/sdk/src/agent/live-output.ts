import { maskStream } from '../security/mask-stream.ts';
import { tailOf } from '../value/cut.ts';

/** A piece of what a running call prints. */
export interface OutputPiece {
  /** As the program printed it, but with secrets masked and `\n` at the end of lines; colours and carriage returns are kept. */
  readonly text: string;
  /** The number of characters before `text` that are left out: of a flood, only the latest are passed on. */
  readonly omitted: number;
}

/** Passes on what a running call prints. */
export interface LiveOutput {
  push(text: string): void;
  /** Passes on the rest. Whatever comes later is dropped: the call has its result. */
  close(): void;
}

const INTERVAL_MS = 100;
const MAX_CHARACTERS = 16_384;

/** Calls `show` ten times a second at most, with a bounded piece, so that a flood costs neither time nor memory. */
export function liveOutput(show: (piece: OutputPiece) => void, secrets: readonly string[] = []): LiveOutput {
  const mask = maskStream(secrets);
  let pending = '';
  let omitted = 0;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const flush = (isLast: boolean) => {
    timer = undefined;
    dropFront();
    const end = !isLast && pending.endsWith('\r') ? -1 : undefined; // a line feed may follow
    const lines = pending.slice(0, end).replaceAll('\r\n', '\n');
    pending = end === undefined ? '' : '\r';
    const text = mask.push(lines, omitted === 0) + (isLast ? mask.end() : '');
    if (text === '') return;
    show({ text, omitted });
    omitted = 0;
  };
  const dropFront = () => {
    if (pending.length <= MAX_CHARACTERS) return;
    const kept = tailOf(pending, MAX_CHARACTERS);
    omitted += pending.length - kept.length;
    pending = kept;
  };
  return {
    push: (text) => {
      if (isClosed || text === '') return;
      pending += text;
      if (pending.length > 2 * MAX_CHARACTERS) dropFront();
      timer ??= setTimeout(() => flush(false), INTERVAL_MS).unref();
    },
    close: () => {
      if (isClosed) return;
      isClosed = true;
      clearTimeout(timer);
      flush(true);
    },
  };
}

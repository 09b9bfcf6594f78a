import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export interface Replies {
  /** The next line; undefined for `/exit` and at the end of input. */
  next(): Promise<string | undefined>;
  close(): void;
}

/** Replies to the agent during a run, line by line. Nothing is read before it is needed. */
export function repliesFrom(input: Readable, prompt: () => void): Replies {
  let opened: ReturnType<typeof createInterface> | undefined;
  let lines: AsyncIterator<string> | undefined;
  return {
    next: async () => {
      if (opened === undefined && !input.readable) return undefined; // the task has used it up
      opened ??= createInterface({ input, terminal: false });
      lines ??= opened[Symbol.asyncIterator]();
      for (;;) {
        prompt();
        const { value, done } = await lines.next();
        if (done === true || value.trim() === '/exit') return undefined;
        if (value.trim() !== '') return value;
      }
    },
    close: () => {
      opened?.close();
      input.pause();
    },
  };
}

import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export interface Replies {
  /** The next line; undefined for `/exit` and at the end of input. */
  next(): Promise<string | undefined>;
  close(): void;
}

/** What is said to the agent in the middle of a run, line by line; nothing is read before it is asked for. */
export function repliesFrom(input: Readable, prompt: () => void): Replies {
  let opened: ReturnType<typeof createInterface> | undefined;
  let lines: AsyncIterator<string> | undefined;
  return {
    next: async () => {
      if (opened === undefined && !input.readable) return undefined; // the task was all of it
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

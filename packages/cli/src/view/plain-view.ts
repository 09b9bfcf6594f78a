import type { Event, Listener, Notice } from '@longhand/sdk';
import type { LineOptions } from './lines.ts';
import { INTERRUPTING, noticeLine } from './notice-line.ts';
import type { Output } from './screen.ts';
import { Transcript } from './transcript.ts';

/** Shows a run while it is in progress. */
export interface View extends Listener {
  onEvent(event: Event, index: number): void;
  onNotice(notice: Notice): void;
  /** The user has interrupted the run, which is about to end. */
  interrupting(): void;
  /** The run has ended: shows what was held back. */
  close(): void;
}

/** For pipes, files and dumb terminals: complete lines in order, none of them ever redrawn. */
export function plainView(out: Output, options: LineOptions): View {
  const transcript = new Transcript(options);
  const print = (lines: readonly string[]) => {
    if (lines.length > 0) out.write(`${lines.join('\n')}\n`);
  };
  return {
    onEvent: (event) => print(transcript.event(event)),
    onNotice: (notice) => {
      if (notice.type === 'tool-start') print(transcript.started(notice.actionId));
      const line = noticeLine(notice);
      if (line !== null) print([options.style.yellow(line)]);
    },
    interrupting: () => print([options.style.yellow(INTERRUPTING)]),
    close: () => print(transcript.rest()),
  };
}

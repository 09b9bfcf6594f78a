import type { Conversation } from '@longhand/sdk';
import { EXIT } from '../exit-code.ts';
import { onInterrupt } from '../interrupts.ts';
import { INTERRUPTING } from '../view/notice-line.ts';
import type { View } from '../view/plain-view.ts';
import type { Reporter } from '../view/reporter.ts';

/** After a second signal, the process ends within this time, whatever hangs. */
const HURRY_MS = 1_000;

/** Ctrl-C, and the other signals that end a process, from the opening of a conversation until it is closed. */
export interface Interruption {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Passes signals on to a conversation that is open. `tellEnd` says how to resume it, unless that was said. */
  follow(conversation: Conversation, view: View, tellEnd: () => void): void;
  /** Stops listening. */
  off(): void;
}

/**
 * The first signal interrupts the run: the tools that run have a few seconds to end in order. The second one does not wait for them; either
 * way the conversation is paused. A conversation that is not open yet has nothing to record, so the second signal ends the process.
 */
export function listenForInterrupts(reporter: Reporter): Interruption {
  const interrupted = new AbortController();
  let show = () => reporter.say(INTERRUPTING);
  let hurry: () => void = () => process.exit(EXIT.interrupted);
  const off = onInterrupt(
    (isReaderGone) => {
      if (!isReaderGone) show();
      interrupted.abort();
    },
    () => hurry(),
  );
  return {
    signal: interrupted.signal,
    off,
    follow: (conversation, view, tellEnd) => {
      interrupted.signal.addEventListener('abort', () => conversation.interrupt());
      show = () => view.interrupting();
      hurry = () => {
        conversation.interrupt({ abandon: true });
        setTimeout(() => {
          tellEnd();
          process.exit(EXIT.interrupted);
        }, HURRY_MS);
      };
    },
  };
}

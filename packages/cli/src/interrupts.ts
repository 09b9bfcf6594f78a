import { EXIT } from './exit-code.ts';

/** The user interrupted the command before the run started: no message, exit code 130. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** How long an orderly end may take: longer than tools and programs have to end, shorter than service managers and Docker wait. */
const ORDERLY_MS = 8_000;
/** How long `hurry` may take at the deadline. */
const HURRY_MS = 1_500;

/**
 * The first signal asks for an orderly end. The second one calls `hurry`, by default the end of the process; the third one ends it in any
 * case. So does time: `hurry` is called `deadlineMs` after the first signal, and soon after that the process ends, whatever hangs. Output
 * that cannot be written counts as the first, and so does the end of a parent process that has an IPC channel to this one, as a batch does.
 * Returns a function that removes the handlers; the deadline stays if it has begun.
 */
export function onInterrupt(
  interrupt: (isReaderGone: boolean) => void,
  hurry: () => void = exit,
  deadlineMs = ORDERLY_MS,
): () => void {
  let signals = 0;
  let isAsked = false;
  let isOff = false;
  let gone: NodeJS.Immediate | undefined;
  const ask = (isReaderGone: boolean) => {
    isAsked = true;
    setTimeout(() => {
      setTimeout(exit, HURRY_MS);
      if (isOff) exit();
      else hurry();
    }, deadlineMs);
    interrupt(isReaderGone);
  };
  const onSignal = () => {
    signals += 1;
    if (signals > 2) exit();
    if (isAsked) hurry();
    else ask(false);
  };
  const onError = () => {
    if (!isAsked) ask(true);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  process.stdout.on('error', onError);
  if (process.connected) process.on('disconnect', onError);
  else if (process.send !== undefined) gone = setImmediate(onError);
  return () => {
    isOff = true;
    for (const signal of SIGNALS) process.off(signal, onSignal);
    process.stdout.off('error', onError);
    process.off('disconnect', onError);
    clearImmediate(gone);
  };
}

function exit(): never {
  process.exit(EXIT.interrupted);
}

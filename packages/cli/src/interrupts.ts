import { EXIT } from './exit-code.ts';

/** The user interrupted the command before the run started: no message, exit code 130. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * The first signal asks for an orderly end. The second one calls `hurry`, by default the end of the process; the third one ends it in any
 * case. Output that cannot be written counts as the first, and so does the end of a parent process that has an IPC channel to this one, as a
 * batch does. Returns a function that removes the handlers.
 */
export function onInterrupt(
  interrupt: (isReaderGone: boolean) => void,
  hurry: () => void = () => process.exit(EXIT.interrupted),
): () => void {
  let signals = 0;
  let isAsked = false;
  let gone: NodeJS.Immediate | undefined;
  const onSignal = () => {
    signals += 1;
    if (signals > 2) process.exit(EXIT.interrupted);
    if (isAsked) hurry();
    else interrupt(false);
    isAsked = true;
  };
  const onError = () => {
    if (!isAsked) interrupt(true);
    isAsked = true;
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  process.stdout.on('error', onError);
  if (process.connected) process.on('disconnect', onError);
  else if (process.send !== undefined) gone = setImmediate(onError);
  return () => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
    process.stdout.off('error', onError);
    process.off('disconnect', onError);
    clearImmediate(gone);
  };
}

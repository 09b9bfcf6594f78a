import { EXIT } from './exit-code.ts';

/** The user interrupted the command before the run started: no message, exit code 130. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * The first signal asks for an orderly end, the second one ends the process at once. Output that cannot be written counts as
 * the first, and so does the end of a parent process that has an IPC channel to this one, as a batch does. Returns a function
 * that removes the handlers.
 */
export function onInterrupt(interrupt: (isReaderGone: boolean) => void): () => void {
  let isAsked = false;
  let gone: NodeJS.Immediate | undefined;
  const onSignal = () => {
    if (isAsked) process.exit(EXIT.interrupted);
    isAsked = true;
    interrupt(false);
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

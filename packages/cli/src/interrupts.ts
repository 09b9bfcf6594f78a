import { isPipe } from './descriptors.ts';
import { EXIT } from './exit-code.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * The first signal asks for an orderly end, the second ends the process at once. A reader that has gone away counts as
 * the first. Returns what takes the handlers away again.
 */
export function onInterrupt(interrupt: (isReaderGone: boolean) => void): () => void {
  let isAsked = false;
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
  if (isPipe(1)) process.stdout.on('error', onError);
  return () => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
    if (isPipe(1)) process.stdout.off('error', onError);
  };
}

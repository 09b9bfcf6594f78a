/**
 * Errors that foreign code throws when nobody waits for it: from a timer, an event, or a promise that it dropped. They would end the
 * process; instead they belong to the call in which they began.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

type OnError = (error: unknown) => void;

const calls = new AsyncLocalStorage<OnError>();
/** Marks the listeners of all copies of this package in a process. */
const OURS = Symbol.for('longhand.stray-errors');
const listener = Object.assign(onUncaught, { [OURS]: true });

/** Runs foreign code. Errors that it throws outside of what it returns are passed to `onError`, however late. */
export function catchingStrays<T>(onError: OnError, run: () => T): T {
  if (!process.listeners('uncaughtException').includes(listener)) process.on('uncaughtException', listener);
  return calls.run(onError, run);
}

function onUncaught(error: unknown): void {
  const onError = calls.getStore();
  if (onError !== undefined) {
    onError(error);
    return;
  }
  // Not ours: the program's own listener handles it, or the process ends as it would without this one.
  if (process.listeners('uncaughtException').some((each) => !(OURS in each))) return;
  process.off('uncaughtException', listener);
  process.nextTick(() => {
    throw error;
  });
}

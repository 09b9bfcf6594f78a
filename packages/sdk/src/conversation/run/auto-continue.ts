/** What is said in the user's place when the agent speaks to somebody who is not there (V0: `auto_continue_response`). */

/** True: AUTO_CONTINUE; a text: this; a function: what it returns, and undefined ends the run as if nobody answered. */
export type AutoContinue =
  | boolean
  | string
  | ((said: string) => string | undefined | Promise<string | undefined>);

export const AUTO_CONTINUE =
  'No user is available to answer. Decide for yourself and continue with the task. When the task is done, call finish. Do not ask again.';

export type Reply = (said: string) => Promise<string | undefined>;

/** Undefined if nobody answers. */
export function replyOf(autoContinue: AutoContinue | undefined): Reply | undefined {
  if (autoContinue === undefined || autoContinue === false) return undefined;
  if (typeof autoContinue === 'function') return async (said) => await autoContinue(said);
  const words = autoContinue === true ? AUTO_CONTINUE : autoContinue;
  return async () => words;
}

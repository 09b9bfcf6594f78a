/** Replies in the place of an absent user (V0: `auto_continue_response`). */

/** True: AUTO_CONTINUE; a string: this reply; a function: what it returns, where undefined means that there is no reply. */
export type AutoContinue =
  | boolean
  | string
  | ((said: string) => string | undefined | Promise<string | undefined>);

export const AUTO_CONTINUE =
  'No user is available to answer. Decide for yourself and continue with the task. When the task is done, call finish. Do not ask again.';

export type Reply = (said: string) => Promise<string | undefined>;

/** Undefined if there are no replies. */
export function replyOf(autoContinue: AutoContinue | undefined): Reply | undefined {
  if (autoContinue === undefined || autoContinue === false) return undefined;
  if (typeof autoContinue === 'function') return async (said) => await autoContinue(said);
  const words = autoContinue === true ? AUTO_CONTINUE : autoContinue;
  return async () => words;
}

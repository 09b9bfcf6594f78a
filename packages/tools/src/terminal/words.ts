import { headOf } from '@longhand/sdk/value';

/** The messages that the model gets in addition to the output. */

const WAYS_OUT =
  'Send an empty command to get more output, text or a key with is_input (C-c interrupts), or set reset.';

const SHOWN_STATEMENTS = 50;

export const CONTINUED = '[Output of the running command since the last call:]\n';
export const NOTHING_TO_POLL = 'No command is running, so there is no new output. Send a command.';
export const NOTHING_TO_INTERACT =
  'No command is running, so nothing can take input. Send a command without is_input.';
export const RENEWED = 'The terminal was reset: variables, working folder and running programs are gone.';
export const INTERRUPTED = '\n[The user interrupted the command.]';
export const INTERRUPTED_HARD =
  '\n[The user interrupted the command. It did not stop, so its shell was replaced; variables and the working folder are lost.]';
const EXIT_UNKNOWN =
  '\n[The command has ended. Its exit code is unknown because it changed the prompt of the shell.]';
export const GIVEN_UP =
  'The terminal was reset or closed while its shell was starting; the command was not started.';
export const INPUT_MISSED = '\n[The command had ended before your input arrived; the input was not sent.]';
export const INCOMPLETE_TOO_LONG =
  'A quote, a here-document or a compound command is not closed in this text, which is too long to be typed. Nothing was run. Close it, or write a script with the file editor.';
export const NO_KEYS = 'There is no pseudo-terminal here, so C-c is the only key. Send text, or set reset.';

export function completed(exitCode: number | null, letter: string | null): string {
  if (exitCode === null) return EXIT_UNKNOWN;
  const key = letter === null ? '' : `, after CTRL+${letter.toUpperCase()}`;
  return `\n[The command has ended with exit code ${exitCode}${key}.]`;
}

export function quiet(ms: number): string {
  return `\n[The command is still running; it has printed nothing for ${ms / 1_000} seconds. ${WAYS_OUT}]`;
}

export function late(seconds: number): string {
  return `\n[The command is still running after ${seconds} seconds. ${WAYS_OUT}]`;
}

export function stillRunning(command: string): string {
  return `\n["${headOf(command, 200)}" was not started because the previous command is still running. ${WAYS_OUT}]`;
}

export function notStarted(command: string): string {
  return `\n["${headOf(command, 200)}" was not started: the shell exited after the last call.]`;
}

export function shellExited(status: string | number): string {
  return `\n[The shell itself exited (${status}). The next command gets a new shell in the same folder; variables and running programs are lost.]`;
}

export function multiple(statements: readonly string[]): string {
  const shown = statements.slice(0, SHOWN_STATEMENTS).map((statement, i) => `(${i + 1}) ${statement}`);
  const more = statements.length - shown.length;
  const list = [...shown, ...(more > 0 ? [`... and ${more} more`] : [])].join('\n');
  return `Send one statement per call. Nothing was run. Join the statements with && or ; or send them one by one:\n${list}`;
}

export function literal(kind: string, command: string): string {
  return `This is a ${kind}, not a command: ${headOf(command, 60)}\nWrite a script with the file editor, or pass the data in a here-document.`;
}

export function tooLong(seconds: number, idleSeconds: number, capSeconds: number): string {
  return `A timeout of ${seconds} s is too long: this machine is stopped after ${idleSeconds} s without output. Nothing was run. Use at most ${capSeconds} s, or run the command in the background, redirect its output to a file and read that file.`;
}

export function tooMuchInput(length: number, most: number): string {
  return `The input has ${length} characters; at most ${most} can be typed at once. Write them to a file and let the program read it.`;
}

export function busy(shells: number, seconds: number): string {
  return `All ${shells} shells were busy with other calls for ${seconds} s; the command was not started. Send it again when one of those calls has returned.`;
}

/** What the model is told besides the output. */

const WAYS_OUT =
  'Send an empty command to see more, text or a key with is_input (C-c ends it), or call with reset.';

const SHOWN_STATEMENTS = 50;

export const CONTINUED = '[What the command has printed since the last look:]\n';
export const NOTHING_TO_POLL = 'No command is running, so there is nothing to look at. Give a command.';
export const NOTHING_TO_INTERACT =
  'No command is running that could take input. Give a command without is_input.';
export const RENEWED = 'The terminal has been renewed: variables, folder and running programs are gone.';
export const INTERRUPTED = '\n[The user interrupted the command.]';
export const INTERRUPTED_HARD =
  '\n[The user interrupted the command. It did not end, so its shell was replaced; variables and folder are gone.]';
const EXIT_UNKNOWN =
  '\n[The command has ended. Its exit code is not known, since it changed how the shell prompts.]';
export const GIVEN_UP =
  'The terminal was renewed or closed while its shell was coming up; the command was not started.';
export const INPUT_MISSED = '\n[It had ended before your input came; the input was not sent.]';
export const INCOMPLETE_TOO_LONG =
  'A quote, a here-document or a compound command is still open at the end of this text, which is too long to be typed. Nothing was carried out. Close what is open, or write a script with the file editor.';
export const NO_KEYS =
  'There is no pseudo-terminal here, so no keys can be sent except C-c. Send text, or call with reset.';

export function completed(exitCode: number | null, letter: string | null): string {
  if (exitCode === null) return EXIT_UNKNOWN;
  const key = letter === null ? '' : `, after CTRL+${letter.toUpperCase()}`;
  return `\n[The command has ended with exit code ${exitCode}${key}.]`;
}

export function quiet(ms: number): string {
  return `\n[The command is still running; it has printed nothing new for ${ms / 1_000} seconds. ${WAYS_OUT}]`;
}

export function late(seconds: number): string {
  return `\n[The command is still running after ${seconds} seconds. ${WAYS_OUT}]`;
}

export function stillRunning(command: string): string {
  return `\n["${command.slice(0, 200)}" was not started: the command before it is still running. ${WAYS_OUT}]`;
}

export function notStarted(command: string): string {
  return `\n["${command.slice(0, 200)}" was not started: the shell had ended since the last call.]`;
}

export function shellExited(status: string | number): string {
  return `\n[The shell itself has ended (${status}). A new one is started in the same folder; variables and running programs are gone.]`;
}

export function multiple(statements: readonly string[]): string {
  const shown = statements.slice(0, SHOWN_STATEMENTS).map((statement, i) => `(${i + 1}) ${statement}`);
  const more = statements.length - shown.length;
  const list = [...shown, ...(more > 0 ? [`... and ${more} more`] : [])].join('\n');
  return `One statement a call, please; nothing was carried out. Join them with && or ; or send them one by one:\n${list}`;
}

export function literal(kind: string, command: string): string {
  return `This looks like a ${kind}, not like a command: ${command.slice(0, 60)}\nWrite a script with the file editor, or pass the data in a here-document.`;
}

export function tooLong(seconds: number, idleSeconds: number, capSeconds: number): string {
  return `A timeout of ${seconds} s is too long here: after ${idleSeconds} s of silence this place counts as idle, and is stopped. Nothing was carried out. Give at most ${capSeconds} s, or run it in the background with its output in a file and look at that.`;
}

export function tooMuchInput(length: number, most: number): string {
  return `${length} characters are too many to be typed at once (at most ${most}). Write them to a file and have the program read that.`;
}

export function busy(shells: number, seconds: number): string {
  return `All ${shells} shells have been busy with other calls for ${seconds} s; the command was not started. Send it again when one of those is done.`;
}

import { type ConversationFiles, type ToolEnvironment, ToolError } from '@longhand/sdk';
import type { ProcessExit } from '@longhand/sdk/internal';
import { type Output, outputOf, type ResultFacts, refusal } from '../output/observation.ts';
import type { Settings } from '../settings.ts';
import { NotReadyError, Shell, type ShellEvent, type ShellOptions } from '../shell/shell.ts';
import { quoted } from '../shell/start-script.ts';
import * as words from '../words.ts';
import { controlLetter, keyBytes } from './keys.ts';

/**
 * How long an interrupted command may take to end before it is interrupted again, and then before its shell is replaced.
 * A Ctrl-C that arrives while bash is starting a program can reach neither of them.
 */
const INTERRUPT_MS = [1_000, 500];
/** Limit for changing to a folder: its file system may hang. */
const MOVE_MS = 5_000;
/** An incomplete statement is typed, and a terminal buffers about four kilobytes of unread input. */
const INCOMPLETE_BYTES = 3_000;
const INPUT_CHARACTERS = 64 * 1_024;

/** A call whose text has been checked. */
export interface Request {
  readonly command: string;
  readonly isInput: boolean;
  /** False if a quote, a here-document or a compound command is open at the end. */
  readonly isComplete: boolean;
  /** Most seconds to wait. */
  readonly timeout: number | undefined;
  readonly signal: AbortSignal;
  /** Called with the output as it arrives. */
  readonly onOutput: (text: string) => void;
}

/** One shell, started on demand and restarted after it has exited, and the command that was left running in it. */
export class Session {
  readonly #environment: ToolEnvironment;
  readonly #settings: Settings;
  readonly #keepIn: ConversationFiles | null;
  #shell: Promise<Shell> | null = null;
  #starting = new AbortController();
  /** The shell's working folder, or the one in which the next shell starts. */
  cwd: string;
  /** Whether the last call left its command running. It may have ended since. */
  isLeftRunning = false;

  constructor(environment: ToolEnvironment, settings: Settings, cwd: string) {
    this.#environment = environment;
    this.#settings = settings;
    this.#keepIn = environment.files;
    this.cwd = cwd;
  }

  /** Returns the running shell, or starts one. Rejects if it cannot be started. */
  start(): Promise<Shell> {
    const before = this.#shell;
    const shell = before === null ? this.#startShell() : this.#orAnother(before);
    this.#shell = shell;
    return shell;
  }

  async close(): Promise<void> {
    // The user's start-up files may take long; do not wait for them.
    this.#starting.abort();
    this.#starting = new AbortController();
    const shell = await this.#shell?.catch(() => null);
    this.#shell = null;
    this.isLeftRunning = false;
    await shell?.close();
  }

  /** Changes the working folder for the next command. */
  async moveTo(folder: string): Promise<void> {
    if (this.cwd === folder) return;
    if (this.#shell !== null) {
      const shell = await this.start();
      await shell.begin(`cd -- ${quoted(folder)}`, true);
      await shell.wait({ lateMs: MOVE_MS });
      shell.take();
    }
    this.cwd = folder;
  }

  async carryOut(request: Request): Promise<Output> {
    const { command, isInput } = request;
    const isNew = !isInput && command !== '';
    const before = await this.#shell?.catch(() => null);
    // A new shell would lack the state that the command relies on, so the exit is reported first.
    if (isNew && before?.exit) return await this.#lost(before, before.exit, command, false);
    const shell = before?.exit ? before : await this.start();
    if (isNew && shell.isRunning) {
      return this.#result(shell, {
        command,
        exitCode: -1,
        isError: true,
        prefix: words.CONTINUED,
        suffix: words.stillRunning(command),
      });
    }
    shell.onOutput = request.onOutput;
    if (isNew) {
      if (!request.isComplete && Buffer.byteLength(command) > INCOMPLETE_BYTES)
        return refusal(command, words.INCOMPLETE_TOO_LONG);
      request.signal.throwIfAborted(); // aborted while the shell was starting
      await shell.begin(command, request.isComplete);
    }
    const isUnsent = isInput && command !== '' && !shell.isRunning;
    if (isInput && command !== '' && !isUnsent) {
      const reason = this.#type(shell, command);
      if (reason !== null) return refusal(command, reason);
    }
    const { timeout, signal } = request;
    const limits = timeout === undefined ? { quietMs: this.#settings.quietMs } : { lateMs: timeout * 1_000 };
    const event = await shell.wait({ ...limits, signal });
    const how = { isContinued: !isNew && this.isLeftRunning, isUnsent };
    this.isLeftRunning = event.kind === 'quiet' || event.kind === 'late';
    this.cwd = shell.state.cwd || this.cwd;
    return await this.#answer(shell, event, request, how);
  }

  /** Types input and returns null, or returns why it cannot be typed. Unread input waits until the program reads it. */
  #type(shell: Shell, command: string): string | null {
    const key = keyBytes(command);
    if (key !== null && !shell.isTty) {
      if (controlLetter(command) !== 'c') return words.NO_KEYS;
      shell.interrupt();
      return null;
    }
    if (command.length > INPUT_CHARACTERS) return words.tooMuchInput(command.length, INPUT_CHARACTERS);
    // Enter is a carriage return; programs that read keys treat a line feed as another key.
    void shell.type(key ?? (shell.isTty ? `${command.replace(/\r?\n/g, '\r')}\r` : `${command}\n`));
    return null;
  }

  async #answer(
    shell: Shell,
    event: ShellEvent,
    request: Request,
    { isContinued, isUnsent }: { readonly isContinued: boolean; readonly isUnsent: boolean },
  ): Promise<Output> {
    const { command, isInput, timeout = 0 } = request;
    const prefix = isContinued ? words.CONTINUED : '';
    switch (event.kind) {
      case 'done': {
        const suffix = isUnsent
          ? `${words.completed(event.exitCode, null)}${words.INPUT_MISSED}`
          : words.completed(event.exitCode, isInput ? controlLetter(command) : null);
        return this.#result(shell, { command, exitCode: event.exitCode ?? -1, suffix, shell });
      }
      case 'quiet': {
        const suffix = words.quiet(this.#settings.quietMs);
        return this.#result(shell, { command, exitCode: -1, prefix, suffix, shell });
      }
      case 'late': {
        const suffix = words.late(timeout);
        return this.#result(shell, { command, exitCode: -1, prefix, suffix, shell, timeout: true });
      }
      case 'exited':
        return await this.#lost(shell, event.exit, command, true);
      case 'aborted':
        return await this.#interrupted(shell, command);
    }
  }

  /** Reports that the shell has exited; the next call gets a new one. */
  async #lost(
    shell: Shell,
    { code, signal }: ProcessExit,
    command: string,
    isStarted: boolean,
  ): Promise<Output> {
    const suffix = `${isStarted ? '' : words.notStarted(command)}${words.shellExited(code ?? signal ?? 'unknown')}`;
    const exitCode = isStarted ? (code ?? -1) : -1;
    const output = this.#result(shell, { command, exitCode, isError: true, suffix });
    await this.close();
    return output;
  }

  /** Interrupts the command; replaces the shell if the command does not end. */
  async #interrupted(shell: Shell, command: string): Promise<Output> {
    for (const lateMs of INTERRUPT_MS) {
      shell.interrupt();
      const ended = await shell.wait({ lateMs });
      if (ended.kind === 'exited') return await this.#lost(shell, ended.exit, command, true);
      if (ended.kind !== 'done') continue;
      const exitCode = ended.exitCode ?? -1;
      return this.#result(shell, { command, exitCode, isError: true, suffix: words.INTERRUPTED, shell });
    }
    const suffix = words.INTERRUPTED_HARD;
    const output = this.#result(shell, { command, exitCode: -1, isError: true, suffix });
    await this.close();
    return output;
  }

  #result(shell: Shell, facts: ResultFacts): Output {
    return outputOf(shell.take(), facts, this.#keepIn);
  }

  /** The given shell, or a new one if it has exited or never started. */
  async #orAnother(before: Promise<Shell>): Promise<Shell> {
    const shell = await before.catch(() => null);
    if (shell !== null && shell.exit === null) return shell;
    await shell?.close();
    return await this.#startShell();
  }

  async #startShell(): Promise<Shell> {
    const { workspace, onWarning } = this.#environment;
    const { program, env, terminal } = this.#settings;
    const { signal } = this.#starting;
    const options = { workspace, program, env, cwd: await this.#folder(), keepIn: this.#keepIn, signal };
    try {
      return await this.#withOrWithoutBashrc({ ...options, terminal });
    } catch (error) {
      if (signal.aborted) throw new ToolError(words.GIVEN_UP);
      if (terminal === 'pipes') throw error;
      // If bash itself is missing, pipes do not help, and the first error says more.
      const shell = await Shell.start({ ...options, terminal: 'pipes' }).catch(() => Promise.reject(error));
      onWarning(`terminal: no pseudo-terminal, so no keys and no job control: ${(error as Error).message}`);
      return shell;
    }
  }

  /** Starts without ~/.bashrc if that file exits the shell or hangs. */
  async #withOrWithoutBashrc(options: ShellOptions): Promise<Shell> {
    try {
      return await Shell.start(options);
    } catch (error) {
      if (!(error instanceof NotReadyError) || options.signal?.aborted === true) throw error;
      const shell = await Shell.start({ ...options, readsBashrc: false }).catch(() => Promise.reject(error));
      this.#environment.onWarning(`terminal: ~/.bashrc was skipped: with it ${error.message}`);
      return shell;
    }
  }

  /** The previous shell's folder if it still exists, else the workspace. */
  async #folder(): Promise<string> {
    const { workspace } = this.#environment;
    const found = await workspace.stat(this.cwd).catch(() => null);
    return found?.type === 'directory' ? this.cwd : workspace.root;
  }
}

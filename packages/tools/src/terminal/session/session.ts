import { type ConversationFiles, type ToolEnvironment, ToolError } from '@longhand/sdk';
import type { ProcessExit } from '@longhand/sdk/internal';
import { type Output, outputOf, refusal, type Telling } from '../output/observation.ts';
import type { Settings } from '../settings.ts';
import { NotReadyError, Shell, type ShellEvent, type ShellOptions } from '../shell/shell.ts';
import { quoted } from '../shell/start-script.ts';
import * as words from '../words.ts';
import { controlLetter, keyBytes } from './keys.ts';

/**
 * How long an interrupted command may take to end before it is interrupted once more, and before its shell is given up.
 * A Ctrl-C that comes while bash is just starting a program reaches neither.
 */
const INTERRUPT_MS = [1_000, 500];
/** A folder on a file system that hangs is not waited for. */
const MOVE_MS = 5_000;
/** A terminal takes some four kilobytes that nobody reads yet; what is not a whole statement is typed. */
const INCOMPLETE_BYTES = 3_000;
const INPUT_CHARACTERS = 64 * 1_024;

/** A call that has been checked. */
export interface Request {
  readonly command: string;
  readonly isInput: boolean;
  /** False: something is open at the end of the command. */
  readonly isComplete: boolean;
  /** Seconds to wait at the most. */
  readonly timeout: number | undefined;
  readonly signal: AbortSignal;
}

/** One shell, which is started when it is needed and again when it has ended; and the command that is left running in it. */
export class Session {
  readonly #environment: ToolEnvironment;
  readonly #settings: Settings;
  readonly #keepIn: ConversationFiles | null;
  #shell: Promise<Shell> | null = null;
  #starting = new AbortController();
  /** Where the shell is, or the next one begins. */
  cwd: string;
  /** The command was left running by its last call, whatever has become of it since. */
  isLeftRunning = false;

  constructor(environment: ToolEnvironment, settings: Settings, cwd: string) {
    this.#environment = environment;
    this.#settings = settings;
    this.#keepIn = environment.files;
    this.cwd = cwd;
  }

  /** Throws an Error if the shell cannot be started. */
  start(): Promise<Shell> {
    const before = this.#shell;
    const shell = before === null ? this.#startShell() : this.#orAnother(before);
    this.#shell = shell;
    return shell;
  }

  async close(): Promise<void> {
    // What the user's start-up files do may take long, and is not waited for.
    this.#starting.abort();
    this.#starting = new AbortController();
    const shell = await this.#shell?.catch(() => null);
    this.#shell = null;
    this.isLeftRunning = false;
    await shell?.close();
  }

  /** Goes to another folder before its next command, unless it is there. */
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
    // In another shell a command would miss what it relies on, and a look would say nothing of the command that is gone.
    if (isNew && before?.exit) return await this.#lost(before, before.exit, command, false);
    const shell = before?.exit ? before : await this.start();
    if (isNew && shell.isRunning) {
      return this.#tell(shell, {
        command,
        exitCode: -1,
        isError: true,
        prefix: words.CONTINUED,
        suffix: words.stillRunning(command),
      });
    }
    if (isNew) {
      if (!request.isComplete && Buffer.byteLength(command) > INCOMPLETE_BYTES)
        return refusal(command, words.INCOMPLETE_TOO_LONG);
      request.signal.throwIfAborted(); // while the shell was coming up
      await shell.begin(command, request.isComplete);
    }
    const isMissed = isInput && command !== '' && !shell.isRunning;
    if (isInput && command !== '' && !isMissed) {
      const reason = this.#type(shell, command);
      if (reason !== null) return refusal(command, reason);
    }
    const { timeout, signal } = request;
    const limits = timeout === undefined ? { quietMs: this.#settings.quietMs } : { lateMs: timeout * 1_000 };
    const event = await shell.wait({ ...limits, signal });
    const how = { isContinued: !isNew && this.isLeftRunning, isMissed };
    this.isLeftRunning = event.kind === 'quiet' || event.kind === 'late';
    this.cwd = shell.state.cwd || this.cwd;
    return await this.#answer(shell, event, request, how);
  }

  /** Returns why it cannot be typed. What a program does not read yet is handed over when it does. */
  #type(shell: Shell, command: string): string | null {
    const key = keyBytes(command);
    if (key !== null && !shell.isTty) {
      if (controlLetter(command) !== 'c') return words.NO_KEYS;
      shell.interrupt();
      return null;
    }
    if (command.length > INPUT_CHARACTERS) return words.tooMuchInput(command.length, INPUT_CHARACTERS);
    // The key Enter; programs that read keys take a line feed for something else.
    void shell.type(key ?? (shell.isTty ? `${command.replace(/\r?\n/g, '\r')}\r` : `${command}\n`));
    return null;
  }

  async #answer(
    shell: Shell,
    event: ShellEvent,
    request: Request,
    { isContinued, isMissed }: { readonly isContinued: boolean; readonly isMissed: boolean },
  ): Promise<Output> {
    const { command, isInput, timeout = 0 } = request;
    const prefix = isContinued ? words.CONTINUED : '';
    switch (event.kind) {
      case 'done': {
        const suffix = isMissed
          ? `${words.completed(event.exitCode, null)}${words.INPUT_MISSED}`
          : words.completed(event.exitCode, isInput ? controlLetter(command) : null);
        return this.#tell(shell, { command, exitCode: event.exitCode ?? -1, suffix, shell });
      }
      case 'quiet': {
        const suffix = words.quiet(this.#settings.quietMs);
        return this.#tell(shell, { command, exitCode: -1, prefix, suffix, shell });
      }
      case 'late': {
        const suffix = words.late(timeout);
        return this.#tell(shell, { command, exitCode: -1, prefix, suffix, shell, timeout: true });
      }
      case 'exited':
        return await this.#lost(shell, event.exit, command, true);
      case 'aborted':
        return await this.#interrupted(shell, command);
    }
  }

  /** The shell has ended; the next call has another. */
  async #lost(
    shell: Shell,
    { code, signal }: ProcessExit,
    command: string,
    isStarted: boolean,
  ): Promise<Output> {
    const suffix = `${isStarted ? '' : words.notStarted(command)}${words.shellExited(code ?? signal ?? 'unknown')}`;
    const exitCode = isStarted ? (code ?? -1) : -1;
    const output = this.#tell(shell, { command, exitCode, isError: true, suffix });
    await this.close();
    return output;
  }

  /** A shell whose command does not end when it is asked to is replaced. */
  async #interrupted(shell: Shell, command: string): Promise<Output> {
    for (const lateMs of INTERRUPT_MS) {
      shell.interrupt();
      const ended = await shell.wait({ lateMs });
      if (ended.kind === 'exited') return await this.#lost(shell, ended.exit, command, true);
      if (ended.kind !== 'done') continue;
      const exitCode = ended.exitCode ?? -1;
      return this.#tell(shell, { command, exitCode, isError: true, suffix: words.INTERRUPTED, shell });
    }
    const suffix = words.INTERRUPTED_HARD;
    const output = this.#tell(shell, { command, exitCode: -1, isError: true, suffix });
    await this.close();
    return output;
  }

  #tell(shell: Shell, telling: Telling): Output {
    return outputOf(shell.take(), telling, this.#keepIn);
  }

  /** The shell that there is, unless it has ended or never came up. */
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
      // Without bash there is none on pipes either, and what is wrong is what was said first.
      const shell = await Shell.start({ ...options, terminal: 'pipes' }).catch(() => Promise.reject(error));
      onWarning(`terminal: no pseudo-terminal, so no keys, no job control: ${(error as Error).message}`);
      return shell;
    }
  }

  /** A start-up file of the user's that ends the shell, or does not end itself, must not cost all that the shell is for. */
  async #withOrWithoutBashrc(options: ShellOptions): Promise<Shell> {
    try {
      return await Shell.start(options);
    } catch (error) {
      if (!(error instanceof NotReadyError) || options.signal?.aborted === true) throw error;
      const shell = await Shell.start({ ...options, readsBashrc: false }).catch(() => Promise.reject(error));
      this.#environment.onWarning(`terminal: ~/.bashrc was left out: with it ${error.message}`);
      return shell;
    }
  }

  /** The folder of the shell before, if it is still there. */
  async #folder(): Promise<string> {
    const { workspace } = this.#environment;
    const found = await workspace.stat(this.cwd).catch(() => null);
    return found?.type === 'directory' ? this.cwd : workspace.root;
  }
}

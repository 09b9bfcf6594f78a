import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import {
  CLIPPED,
  type Content,
  defineTool,
  type Observation,
  type Tool,
  type ToolContext,
  type ToolEnvironment,
  ToolError,
  type ToolFactory,
  text,
  textOf,
  truncateMiddle,
} from '@longhand/sdk';
import * as z from 'zod';
import { controlLetter, keyBytes } from './keys.ts';
import { dataLiteral } from './literal-guard.ts';
import { overstruck } from './output-buffer.ts';
import { Shell, type ShellEvent } from './shell.ts';
import { splitStatements } from './statements.ts';

const LIMIT = 30_000;
const DEFAULT_QUIET_SECONDS = 30;
/** How long an interrupted command may take to end before its shell is given up. */
const INTERRUPT_MS = 1_500;

const input = z.object({
  command: z
    .string()
    .describe(
      'One shell statement. Empty: look at what the running command has printed since. With is_input: what to send to it, text or a key such as C-c, C-d, C-z, UP, ENTER.',
    ),
  is_input: z
    .boolean()
    .default(false)
    .describe('True to send the text to the running command instead of starting one.'),
  timeout: z
    .number()
    .min(0)
    .optional()
    .describe(
      'Seconds to wait at the most; the command goes on. Without it the wait ends when nothing new is printed for a while.',
    ),
  reset: z
    .boolean()
    .default(false)
    .describe('True to begin with a new shell: variables, folder and running programs are lost.'),
});
type Input = z.output<typeof input>;

interface Metadata {
  readonly exit_code: number;
  readonly pid: number;
  readonly username: string;
  readonly hostname: string;
  readonly working_dir?: string;
  readonly py_interpreter_path?: string;
  readonly prefix: string;
  readonly suffix: string;
}

interface Output {
  readonly content: readonly Content[];
  readonly is_error: boolean;
  readonly command: string;
  readonly exit_code?: number;
  readonly timeout: boolean;
  readonly metadata: Metadata;
  readonly full_output_save_dir?: string;
  readonly [key: string]: unknown;
}

export interface TerminalParams {
  /** Seconds without output after which a command is left running; default 30. */
  readonly no_change_timeout_seconds?: number;
}

/** `terminal`: a persistent shell in the workspace. */
export const terminalTool: ToolFactory = {
  name: 'terminal',
  create: (environment, params) => [createTerminal(environment, params as TerminalParams)],
};

function createTerminal(environment: ToolEnvironment, params: TerminalParams): Tool {
  const terminal = new Terminal(
    environment,
    (params.no_change_timeout_seconds ?? DEFAULT_QUIET_SECONDS) * 1_000,
  );
  return defineTool<Input, Output>({
    name: 'terminal',
    kind: { tool: 'TerminalTool', action: 'TerminalAction', observation: 'TerminalObservation' },
    description: DESCRIPTION,
    briefDescription: BRIEF,
    input: input as z.ZodType<Input>,
    annotations: {
      title: 'terminal',
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    },
    resources: () => ['terminal:session'],
    run: (call, context) => terminal.run(call, context),
    render,
    prepare: () => terminal.prepare(),
    close: () => terminal.close(),
  });
}

const DESCRIPTION = `Runs a command in a shell that stays: folder, variables and functions are kept from call to call.
- One statement a call. Join commands that belong together with && or ; a text of several statements on lines of their own is refused.
- The answer ends with the folder and the exit code. Exit code -1: the command is still running. It is left running when it prints nothing for ${DEFAULT_QUIET_SECONDS} s, or when \`timeout\` is over. Then send an empty command to see what is new, text or a key with is_input (C-c ends it), or call with reset.
- What takes long or serves goes into the background with its output in a file: \`server > server.log 2>&1 &\`.
- Outputs over ${LIMIT} characters are clipped in the middle: use head, tail, grep and quiet options. Use absolute paths where you can.
- Put text into files with the file editor or a here-document, not with echo.`;

const BRIEF = `Runs one statement in a shell that stays: folder and variables are kept. Join commands with && or ;. The answer ends with folder and exit code; -1 means that it is still running: send an empty command to see more, is_input with text or a key (C-c) to answer it. What takes long goes into the background with its output in a file.`;

/** One conversation's shell, and what is known of the command in it. */
class Terminal {
  readonly #environment: ToolEnvironment;
  readonly #quietMs: number;
  #shell: Promise<Shell> | null = null;
  #cwd: string;
  /** The command that was left running. */
  #running = false;

  constructor(environment: ToolEnvironment, quietMs: number) {
    this.#environment = environment;
    this.#quietMs = quietMs;
    this.#cwd = environment.workspace.root;
  }

  prepare(): void {
    this.#start().catch(() => undefined); // the first call meets the same failure, and tells it
  }

  async close(): Promise<void> {
    const shell = await this.#shell?.catch(() => null);
    this.#shell = null;
    await shell?.close();
  }

  async run(call: Input, context: ToolContext): Promise<Output> {
    if (call.reset && call.is_input)
      throw new ToolError(
        'reset and is_input exclude each other: a new shell runs nothing that could take input.',
      );
    const command = call.is_input ? call.command : call.command.replaceAll('\r\n', '\n').trim();
    if (call.reset) return await this.#reset(command, context);
    const literal = call.is_input ? null : dataLiteral(command);
    if (literal !== null) return this.#refusal(command, literalText(literal, command), false);
    if (!this.#running && command === '') return this.#refusal(command, NOTHING_TO_POLL);
    if (!this.#running && call.is_input) return this.#refusal(command, NOTHING_TO_INTERACT);
    const split = call.is_input ? null : splitStatements(command);
    if (split !== null && split.statements.length > 1)
      return this.#refusal(command, multipleText(split.statements));
    return await this.#carryOut(command, call, split?.complete ?? true, context);
  }

  async #reset(command: string, context: ToolContext): Promise<Output> {
    await this.close();
    this.#running = false;
    this.#cwd = this.#environment.workspace.root;
    const renewed = 'The terminal has been renewed: variables, folder and running programs are gone.';
    if (command === '') {
      await this.#start();
      return this.#output(`[RESET]`, renewed, { exitCode: 0 });
    }
    const result = await this.run({ command, is_input: false, reset: false }, context);
    return { ...result, command: `[RESET] ${command}`, content: [text(renewed), ...result.content] };
  }

  async #carryOut(command: string, call: Input, complete: boolean, context: ToolContext): Promise<Output> {
    const shell = await this.#start();
    const before = shell.isRunning ? '' : this.#leftOver(shell);
    const isNew = !call.is_input && command !== '';
    if (isNew && shell.isRunning) {
      return this.#output(command, shell.take(), {
        exitCode: -1,
        isError: true,
        prefix: CONTINUED,
        suffix: stillRunning(command),
      });
    }
    const continued = !isNew && this.#running;
    if (isNew) await shell.begin(command, complete);
    else if (call.is_input && shell.isRunning) await shell.type(keyBytes(command) ?? `${command}\n`);

    const event = await shell.wait({
      ...(call.timeout === undefined ? { quietMs: this.#quietMs } : { lateMs: call.timeout * 1_000 }),
      signal: context.signal,
    });
    this.#running = event.kind === 'quiet' || event.kind === 'late';
    this.#cwd = shell.cwd;
    const key = call.is_input ? controlLetter(command) : null;
    return await this.#answer(command, shell, event, { before, continued, key, timeout: call.timeout });
  }

  async #answer(
    command: string,
    shell: Shell,
    event: ShellEvent,
    how: { before: string; continued: boolean; key: string | null; timeout: number | undefined },
  ): Promise<Output> {
    const prefix = how.continued && event.kind !== 'done' ? CONTINUED : '';
    switch (event.kind) {
      case 'done': {
        const suffix =
          how.key === null ? completed(event.exitCode) : completedAfterKey(event.exitCode, how.key);
        return this.#output(command, how.before + shell.take(), { exitCode: event.exitCode, suffix, shell });
      }
      case 'quiet':
        return this.#output(command, how.before + shell.take(), {
          exitCode: -1,
          prefix,
          suffix: quiet(this.#quietMs),
          shell,
        });
      case 'late':
        return this.#output(command, how.before + shell.take(), {
          exitCode: -1,
          prefix,
          suffix: late(how.timeout ?? 0),
          shell,
          timeout: true,
        });
      case 'exited': {
        this.#shell = null;
        await shell.close();
        const status = event.exit.code ?? event.exit.signal ?? 'unknown';
        return this.#output(command, shell.take(), {
          exitCode: event.exit.code ?? -1,
          isError: true,
          suffix: shellExited(status),
        });
      }
      case 'aborted':
        return await this.#interrupted(command, shell);
    }
  }

  /** A shell whose command does not end when it is asked to is replaced. */
  async #interrupted(command: string, shell: Shell): Promise<Output> {
    shell.interrupt();
    const ended = await shell.wait({ lateMs: INTERRUPT_MS, signal: new AbortController().signal });
    const said = shell.take();
    if (ended.kind === 'done') {
      return this.#output(command, said, {
        exitCode: ended.exitCode,
        isError: true,
        suffix: INTERRUPTED,
        shell,
      });
    }
    this.#shell = null;
    await shell.close();
    return this.#output(command, said, { exitCode: -1, isError: true, suffix: INTERRUPTED_HARD });
  }

  /** What a command printed that ended while nobody was looking. */
  #leftOver(shell: Shell): string {
    if (!this.#running) return '';
    this.#running = false;
    return shell.take();
  }

  async #start(): Promise<Shell> {
    const current = await this.#shell?.catch(() => null);
    if (current !== undefined && current !== null && !current.hasExited) return current;
    await current?.close();
    this.#shell = Shell.start(this.#environment.workspace, await this.#startFolder());
    return await this.#shell;
  }

  /** The folder of the shell before, if it is still there. */
  async #startFolder(): Promise<string> {
    const { workspace } = this.#environment;
    const found = await workspace.stat(this.#cwd).catch(() => null);
    return found?.type === 'directory' ? this.#cwd : workspace.root;
  }

  #refusal(command: string, reason: string, known = true): Output {
    const { exit_code: _unknown, ...output } = this.#output(command, reason, { exitCode: -1, isError: true });
    return known ? { ...output, exit_code: -1 } : output;
  }

  #output(
    command: string,
    said: string,
    how: {
      exitCode: number;
      isError?: boolean;
      prefix?: string;
      suffix?: string;
      shell?: Shell;
      timeout?: boolean;
    },
  ): Output {
    const { clipped, directory } = this.#clip(overstruck(said).replace(/\n+$/, ''));
    return {
      content: [text(clipped)],
      is_error: how.isError ?? false,
      command,
      exit_code: how.exitCode,
      timeout: how.timeout ?? false,
      metadata: metadataOf(how.exitCode, how.shell, how.prefix ?? '', how.suffix ?? ''),
      ...(directory === undefined ? {} : { full_output_save_dir: directory }),
    };
  }

  /** Too long an output is kept whole in a file, which the notice names. */
  #clip(said: string): { readonly clipped: string; readonly directory?: string } {
    if (said.length <= LIMIT) return { clipped: said };
    const { directory } = this.#environment;
    if (directory === null) return { clipped: truncateMiddle(said, LIMIT, `\n${CLIPPED}\n`) };
    const folder = join(directory, 'observations');
    const name = `terminal_output_${createHash('sha256').update(said).digest('hex').slice(0, 8)}.txt`;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), said);
    const line = said.slice(0, LIMIT / 2).split('\n').length;
    const notice = `\n${CLIPPED} The whole output is in ${join(folder, name)}; the cut begins at line ${line}.\n`;
    return { clipped: truncateMiddle(said, LIMIT, notice), directory: folder };
  }
}

function metadataOf(exitCode: number, shell: Shell | undefined, prefix: string, suffix: string): Metadata {
  return {
    exit_code: exitCode,
    pid: shell?.backgroundPid ?? -1,
    ...here(),
    ...(shell === undefined ? {} : { working_dir: shell.cwd }),
    ...(shell?.interpreter == null ? {} : { py_interpreter_path: shell.interpreter }),
    prefix,
    suffix,
  };
}

let knownHere: { readonly username: string; readonly hostname: string } | undefined;

function here(): { readonly username: string; readonly hostname: string } {
  knownHere ??= { username: userName(), hostname: hostname() };
  return knownHere;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? ''); // a user without an entry in the password file
  }
}

const NOTICE = `\n${CLIPPED}\n`;

/** Text between prefix and suffix, then where the shell stands; clipped so that the end survives. */
function render(observation: Observation): readonly Content[] {
  const { metadata } = observation as unknown as { metadata?: Partial<Metadata> };
  const said = textOf(observation.content as readonly Content[]);
  const trailer = [
    metadata?.working_dir === undefined ? '' : `\n[Working folder: ${metadata.working_dir}]`,
    metadata?.py_interpreter_path === undefined ? '' : `\n[Python: ${metadata.py_interpreter_path}]`,
    // The suffix says it already, if there is one.
    metadata?.suffix || metadata?.exit_code === undefined || metadata.exit_code === -1
      ? ''
      : `\n[Exit code: ${metadata.exit_code}]`,
  ].join('');
  const whole = `${metadata?.prefix ?? ''}${said}${metadata?.suffix ?? ''}${trailer}`;
  const clipped = text(truncateMiddle(whole, LIMIT, NOTICE));
  return observation.is_error ? [text('[An error occurred during execution.]\n'), clipped] : [clipped];
}

const CONTINUED = '[What the command has printed since the last look:]\n';
const NOTHING_TO_POLL = 'No command is running, so there is nothing to look at. Give a command.';
const NOTHING_TO_INTERACT = 'No command is running that could take input. Give a command without is_input.';
const WAYS_OUT =
  'Send an empty command to see more, text or a key with is_input (C-c ends it), or call with reset.';
const INTERRUPTED = '\n[The user interrupted the command.]';
const INTERRUPTED_HARD =
  '\n[The user interrupted the command. It did not end, so its shell was replaced; variables and folder are gone.]';

function completed(exitCode: number): string {
  return `\n[The command has ended with exit code ${exitCode}.]`;
}

function completedAfterKey(exitCode: number, letter: string): string {
  return `\n[The command has ended with exit code ${exitCode}, after CTRL+${letter.toUpperCase()}.]`;
}

function quiet(ms: number): string {
  return `\n[The command is still running; it has printed nothing new for ${ms / 1_000} seconds. ${WAYS_OUT}]`;
}

function late(seconds: number): string {
  return `\n[The command is still running after ${seconds} seconds. ${WAYS_OUT}]`;
}

function stillRunning(command: string): string {
  return `\n["${command.slice(0, 200)}" was not started: the command before it is still running. ${WAYS_OUT}]`;
}

function shellExited(status: string | number): string {
  return `\n[The shell itself has ended (${status}). A new one is started in the same folder; variables and running programs are gone.]`;
}

function multipleText(statements: readonly string[]): string {
  const list = statements.map((statement, i) => `(${i + 1}) ${statement}`).join('\n');
  return `One statement a call, please; nothing was carried out. Join them with && or ; or send them one by one:\n${list}`;
}

function literalText(literal: string, command: string): string {
  return `This looks like a ${literal}, not like a command: ${command.slice(0, 60)}\nWrite a script with the file editor, or pass the data in a here-document.`;
}

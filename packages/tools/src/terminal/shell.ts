/**
 * A persistent bash on a pseudo-terminal.
 *
 * A command is written to a private file and evaluated by a short line that is typed, so nothing of it passes through line
 * editing. Its end is told by a marker that the shell prints, an escape sequence with a secret:
 *
 *     ESC ] 697 ; <nonce> ; <sequence> ; <exit code> ; <last background pid> ; <working folder> BEL
 *
 * The typed line prints it, and so does the prompt, which stands when Ctrl-C has thrown the line away; only the first with
 * the expected sequence counts. Nothing is polled.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Process, ProcessExit, Workspace } from '@longhand/sdk';
import { OutputBuffer } from './output-buffer.ts';
import { QueryFilter } from './query-filter.ts';

/** How a wait for a command ended. */
export type ShellEvent =
  | { readonly kind: 'done'; readonly exitCode: number }
  | { readonly kind: 'quiet' }
  | { readonly kind: 'late' }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'exited'; readonly exit: ProcessExit };

export interface WaitLimits {
  /** Without new output for so long: `quiet`. */
  readonly quietMs?: number;
  /** In all: `late`. */
  readonly lateMs?: number;
  readonly signal: AbortSignal;
}

const SIZE = { columns: 256, rows: 200 };
const START_MS = 10_000;
/** Timers may fire up to a millisecond before their time. */
const TIMER_EARLY_MS = 1;

export class Shell {
  readonly #process: Process;
  readonly #directory: string;
  readonly #nonce: string;
  readonly #decoder = new TextDecoder();
  readonly #filter = new QueryFilter();
  readonly #buffer = new OutputBuffer();
  #undecided = '';
  #sequence = 0;
  /** The sequence of the command that has not ended yet. */
  #pending: number | null = 0;
  #exitCode = 0;
  #exit: ProcessExit | null = null;
  #wake: (() => void) | null = null;
  #outputs = 0;
  backgroundPid = -1;
  cwd: string;
  interpreter: string | null = null;

  /** Throws an Error if bash cannot be started or is not ready within ten seconds. */
  static async start(workspace: Workspace, cwd: string): Promise<Shell> {
    const directory = mkdtempSync(join(tmpdir(), 'longhand-shell-'));
    const nonce = randomUUID();
    writeFileSync(join(directory, 'init'), initScript(directory, nonce), { mode: 0o600 });
    try {
      const bash = await workspace.spawn(['bash', '--noediting', '--rcfile', join(directory, 'init'), '-i'], {
        cwd,
        pty: SIZE,
        env: ENVIRONMENT,
      });
      const shell = new Shell(bash, directory, nonce, cwd);
      const ready = await shell.wait({ lateMs: START_MS, signal: new AbortController().signal });
      if (ready.kind !== 'done') {
        const said = shell.take();
        await shell.close();
        throw new Error(`the shell did not come up (${ready.kind}); it said: ${said.slice(0, 2_000)}`);
      }
      shell.take(); // what start-up files print is not the agent's
      return shell;
    } catch (error) {
      rmSync(directory, { recursive: true, force: true });
      throw error;
    }
  }

  private constructor(process: Process, directory: string, nonce: string, cwd: string) {
    this.#process = process;
    this.#directory = directory;
    this.#nonce = nonce;
    this.cwd = cwd;
    process.onOutput((bytes) => this.#receive(this.#decoder.decode(bytes, { stream: true })));
    process.exited.then(
      (exit) => {
        this.#exit = exit;
        this.#wake?.();
      },
      () => undefined,
    );
  }

  get isRunning(): boolean {
    return this.#pending !== null;
  }

  get hasExited(): boolean {
    return this.#exit !== null;
  }

  /** Begins a command. What is not complete is typed, so that later input can complete it. */
  async begin(command: string, complete: boolean): Promise<void> {
    this.#sequence += 1;
    this.#pending = this.#sequence;
    if (complete) {
      writeFileSync(join(this.#directory, 'command'), command, { mode: 0o600 });
      await this.#process.write(` __lh_load ${this.#sequence}; eval "$__lh_command"; __lh_mark\n`);
    } else {
      await this.#process.write(` __lh_next=${this.#sequence} __lh_skip=1\n${command}\n`);
    }
  }

  async type(bytes: string): Promise<void> {
    await this.#process.write(bytes);
  }

  interrupt(): void {
    this.#process.write('\x03').catch(() => undefined); // a shell that is gone needs no interrupt
  }

  /** Waits for the end of the command, or for one of the limits. */
  async wait(limits: WaitLimits): Promise<ShellEvent> {
    const { promise: aborted, resolve: abort } = Promise.withResolvers<'aborted'>();
    const onAbort = () => abort('aborted');
    limits.signal.addEventListener('abort', onAbort, { once: true });
    const lateAt = limits.lateMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + limits.lateMs;
    try {
      for (;;) {
        if (this.#pending === null) return { kind: 'done', exitCode: this.#exitCode };
        if (this.#exit !== null) return { kind: 'exited', exit: this.#exit };
        if (limits.signal.aborted) return { kind: 'aborted' };
        const outputs = this.#outputs;
        const woken = await this.#sleep(
          Math.min(limits.quietMs ?? Number.POSITIVE_INFINITY, lateAt - performance.now()),
          aborted,
        );
        if (woken === 'time' && this.isRunning && !this.hasExited) {
          if (performance.now() >= lateAt - TIMER_EARLY_MS) return { kind: 'late' };
          if (this.#outputs === outputs) return { kind: 'quiet' };
        }
      }
    } finally {
      limits.signal.removeEventListener('abort', onAbort);
    }
  }

  /** The output since the last look. */
  take(): string {
    return this.#buffer.take().replaceAll('\r\n', '\n');
  }

  async close(): Promise<void> {
    await this.#process.terminate();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** Until there is news, or `ms` have passed. */
  async #sleep(ms: number, aborted: Promise<'aborted'>): Promise<'news' | 'time' | 'aborted'> {
    let timer: NodeJS.Timeout | undefined;
    const news = new Promise<'news'>((resolve) => {
      this.#wake = () => resolve('news');
    });
    const time = new Promise<'time'>((resolve) => {
      if (ms !== Number.POSITIVE_INFINITY) timer = setTimeout(() => resolve('time'), Math.max(0, ms));
    });
    const woken = await Promise.race([news, time, aborted]);
    clearTimeout(timer);
    this.#wake = null;
    return woken;
  }

  /** Takes the markers out of the stream; one that is not whole yet is kept until it is. */
  #receive(chunk: string): void {
    const text = this.#undecided + chunk;
    const opening = `\x1b]697;${this.#nonce};`;
    let from = 0;
    let shown = '';
    for (;;) {
      const start = text.indexOf(opening, from);
      const end = start === -1 ? -1 : text.indexOf('\x07', start);
      if (end === -1) {
        const cut = start === -1 ? partialStart(text, opening, from) : start;
        shown += text.slice(from, cut);
        this.#undecided = text.slice(cut);
        break;
      }
      shown += text.slice(from, start);
      this.#show(shown);
      shown = '';
      this.#marked(text.slice(start + opening.length, end));
      from = end + 1;
    }
    this.#show(shown);
    this.#outputs += 1;
    this.#wake?.();
  }

  #show(text: string): void {
    // Once the command has ended only the prompt could speak, and it is empty.
    if (text !== '' && this.#pending !== null) this.#buffer.push(this.#filter.push(text));
  }

  #marked(fields: string): void {
    const [sequence, exitCode, pid, interpreter, ...cwd] = fields.split(';');
    if (Number(sequence) !== this.#pending) return;
    this.#buffer.push(this.#filter.flush());
    this.#pending = null;
    this.#exitCode = Number(exitCode);
    this.backgroundPid = pid === '' ? -1 : Number(pid);
    this.interpreter = interpreter === '' ? null : (interpreter ?? null);
    this.cwd = cwd.join(';');
  }
}

/** Where `opening` may begin at the very end of `text`. */
function partialStart(text: string, opening: string, from: number): number {
  const at = text.lastIndexOf('\x1b');
  return at >= from && opening.startsWith(text.slice(at)) ? at : text.length;
}

/** Programs that page wait for keys that nobody presses; our own key is not the agent's. */
const ENVIRONMENT = {
  AI_AGENT: process.env['AI_AGENT'] || 'longhand',
  PAGER: process.env['PAGER'] ?? 'cat',
  GIT_PAGER: process.env['GIT_PAGER'] ?? 'cat',
  TERM: 'xterm-256color',
  PS1: '',
  PS2: '',
  LLM_API_KEY: undefined,
  SESSION_API_KEY: undefined,
};

/**
 * The user's own start-up file first. `__lh_load` hands on the exit code of the command before, for `$?`. With `__lh_skip`
 * set, one prompt stays silent: the one behind the line that announces a typed command.
 */
function initScript(directory: string, nonce: string): string {
  return `[ -f ~/.bashrc ] && . ~/.bashrc
stty -echo 2>/dev/null
set +o history +H
unset HISTFILE
PS1= PS2=
__lh_python=$(type -P python || type -P python3)
__lh_next=0
__lh_mark() {
  local status=$?
  PS1= PS2= PROMPT_COMMAND=__lh_mark
  if [ -n "\${__lh_skip-}" ]; then __lh_skip=; return $status; fi
  printf '\\033]697;${nonce};%s;%s;%s;%s;%s\\007' "$__lh_next" "$status" "\${!-}" "$__lh_python" "$PWD"
  return $status
}
__lh_load() {
  local status=$?
  __lh_next=$1
  IFS= read -r -d '' __lh_command < '${directory}/command'
  return $status
}
PROMPT_COMMAND=__lh_mark
`;
}

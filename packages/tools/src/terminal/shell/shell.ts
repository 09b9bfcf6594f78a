/**
 * A persistent bash on a pseudo-terminal. A command reaches it as one quoted line, or through a private file if it is long,
 * so nothing of it passes through line editing; its end is told by a marker (see start-script.ts), so nothing is polled.
 */
import { randomUUID } from 'node:crypto';
import type { ConversationFiles, Process, SpawnOptions, Workspace } from '@longhand/sdk';
import type { ProcessExit } from '@longhand/sdk/internal';
import { defined, LONGEST_TIMER_MS } from '@longhand/sdk/value';
import { OutputBuffer, type Taken } from '../output/output-buffer.ts';
import { type Marker, MarkerStream } from './marker-stream.ts';
import { QueryFilter } from './query-filter.ts';
import { commandLine, fileLine, MODES, startScript, typedLine } from './start-script.ts';

/** How a wait for a command ended. */
export type ShellEvent =
  /** `exitCode` is null if the command has hidden it. */
  | { readonly kind: 'done'; readonly exitCode: number | null }
  | { readonly kind: 'quiet' }
  | { readonly kind: 'late' }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'exited'; readonly exit: ProcessExit };

export interface WaitLimits {
  /** Without new output for so long: `quiet`. */
  readonly quietMs?: number;
  /** In all: `late`. */
  readonly lateMs?: number;
  readonly signal?: AbortSignal;
}

export interface ShellOptions {
  readonly workspace: Workspace;
  /** The folder to start in; absolute. */
  readonly cwd: string;
  /** Path or name of a bash. */
  readonly program: string;
  readonly env: { readonly [name: string]: string };
  readonly terminal: 'pty' | 'pipes';
  /** Default: true. */
  readonly readsBashrc?: boolean;
  /** Where floods are kept whole; null for nowhere. */
  readonly keepIn: ConversationFiles | null;
  /** Ends a start that nobody waits for any more. */
  readonly signal?: AbortSignal;
}

const SIZE = { columns: 256, rows: 200 };
/** More than this between two looks is read in strokes of so many milliseconds. */
const FLOOD_BYTES = 256 * 1_024;
const FLOOD_MS = 4;
const START_MS = 10_000;
const CTRL_C = '\x03';
/** Bash's exit code after it. */
const INTERRUPTED = 130;
/** Timers may fire up to a millisecond before their time. */
const TIMER_EARLY_MS = 1;

/** Bash was started, and did not get as far as a prompt. */
export class NotReadyError extends Error {
  constructor(how: string, said: string) {
    super(`the shell did not come up (${how}); it said: ${said}`);
  }
}

export class Shell {
  readonly #process: Process;
  readonly #workspace: Workspace;
  /** Where a long command passes; gone before the next one. */
  readonly #file: string;
  #throughFile = false;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #markers: MarkerStream;
  readonly #filter = new QueryFilter();
  readonly #buffer: OutputBuffer;
  #arrived: Uint8Array[] = [];
  /** Bytes that came since the last look. */
  #unlooked = 0;
  #sequence = 0;
  /** The sequence of the command that has not ended yet. */
  #pending: number | null = 0;
  #exitCode: number | null = 0;
  /** The sequence that the last prompt told. */
  #prompted: number | null = null;
  /** Ctrl-C was typed since the command was begun. */
  #isInterrupted = false;
  #exit: ProcessExit | null = null;
  #lastOutputAt = 0;
  /** Tells the one who waits that the command, or the shell, has ended. */
  #settle: (() => void) | null = null;
  /** The last line that was typed: a terminal that was reset shows it. */
  #typed = '';
  #echoes = false;
  /** What the last marker told. */
  state: { readonly [Field in 'user' | 'host' | 'interpreter' | 'cwd']: string } & { readonly pid: number };

  /** Throws WorkspaceError if bash cannot be started, NotReadyError if it ends or is not ready within ten seconds. */
  static async start(options: ShellOptions): Promise<Shell> {
    const { workspace, program, cwd, env, terminal, signal } = options;
    signal?.throwIfAborted();
    const nonce = randomUUID();
    const file = `/tmp/longhand-shell-${randomUUID()}`;
    const spawn: SpawnOptions = { cwd, env: { ...ENVIRONMENT, ...env, PS1: '', PS2: '' } };
    try {
      await workspace.writeFile(file, Buffer.from(startScript(nonce, options.readsBashrc ?? true)), {
        mode: 0o600,
      });
      signal?.throwIfAborted();
      const bash = await workspace.spawn(
        [program, '--noediting', '--rcfile', file, '-i'],
        terminal === 'pty' ? { ...spawn, pty: SIZE } : spawn,
      );
      const shell = new Shell(bash, file, nonce, options);
      const ready = await shell.wait({ lateMs: START_MS, ...defined({ signal }) });
      const said = shell.take(); // what start-up files print is not the agent's
      if (ready.kind === 'done') return shell;
      await shell.close();
      throw new NotReadyError(ready.kind, said.text.slice(0, 2_000));
    } finally {
      await removeFile(workspace, file);
    }
  }

  private constructor(process: Process, file: string, nonce: string, options: ShellOptions) {
    this.#process = process;
    this.#workspace = options.workspace;
    this.#file = file;
    this.#markers = new MarkerStream(nonce);
    this.#buffer = new OutputBuffer(options.keepIn);
    this.state = { user: '', host: '', interpreter: '', cwd: options.cwd, pid: -1 };
    process.onOutput((bytes) => {
      this.#arrived.push(bytes);
      this.#unlooked += bytes.length;
      // A terminal gives a flood in very small pieces, of which many are read as one.
      if (this.#unlooked < FLOOD_BYTES) this.#receive();
      else if (this.#arrived.length === 1) setTimeout(() => this.#receive(), FLOOD_MS);
    });
    void process.exited.then((exit) => {
      this.#receive();
      this.#exit = exit;
      this.#settle?.();
    });
  }

  get isRunning(): boolean {
    return this.#pending !== null;
  }

  /** How the shell itself has ended; null while it lives. */
  get exit(): ProcessExit | null {
    return this.#exit;
  }

  /** False on pipes: there are no keys then. */
  get isTty(): boolean {
    return this.#process.isTty;
  }

  /** Begins a command. What is not complete is typed as it is, so that later input can complete it. */
  async begin(command: string, complete: boolean): Promise<void> {
    if (this.#throughFile) await removeFile(this.#workspace, this.#file);
    this.#throughFile = false;
    const sequence = this.#sequence + 1;
    const line = complete ? await this.#lineOf(sequence, command) : `${typedLine(sequence)}${command}\n`;
    this.#sequence = sequence;
    this.#pending = sequence;
    this.#typed = `${this.#echoes ? ` ${MODES};` : ''}${line}`.trimEnd();
    this.#echoes = false;
    this.#isInterrupted = false;
    await this.type(`${this.#typed}\n`);
  }

  /** Resolves when it is taken, which a program that does not read can put off. A shell that ends takes no more. */
  async type(bytes: string): Promise<void> {
    if (bytes === CTRL_C) this.#isInterrupted = true;
    await this.#process.write(bytes).catch(() => undefined); // that the shell has ended is told by `wait`
  }

  interrupt(): void {
    if (this.isTty) void this.type(CTRL_C);
    else this.#process.kill('SIGINT');
  }

  /** Waits for the end of the command, or for one of the limits. */
  wait({ quietMs, lateMs, signal }: WaitLimits): Promise<ShellEvent> {
    const beganAt = performance.now();
    const lateAt = lateMs === undefined ? Number.POSITIVE_INFINITY : beganAt + lateMs;
    const { promise, resolve } = Promise.withResolvers<ShellEvent>();
    let timer: NodeJS.Timeout | undefined;
    const look = () => {
      const now = performance.now() + TIMER_EARLY_MS;
      const quietAt = Math.max(beganAt, this.#lastOutputAt) + (quietMs ?? Number.POSITIVE_INFINITY);
      const next = Math.min(lateAt, quietAt);
      if (this.#pending === null) resolve({ kind: 'done', exitCode: this.#exitCode });
      else if (this.#exit !== null) resolve({ kind: 'exited', exit: this.#exit });
      else if (signal?.aborted) resolve({ kind: 'aborted' });
      else if (now >= next) resolve({ kind: next === lateAt ? 'late' : 'quiet' });
      else if (next !== Number.POSITIVE_INFINITY) {
        clearTimeout(timer);
        timer = setTimeout(look, Math.min(next - now + TIMER_EARLY_MS, LONGEST_TIMER_MS));
      }
    };
    this.#settle = look;
    signal?.addEventListener('abort', look, { once: true });
    look();
    return promise.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', look);
      this.#settle = null;
    });
  }

  /** The output since the last look, without the line that was typed. */
  take(): Taken {
    this.#unlooked = 0;
    const taken = this.#buffer.take();
    const typed = this.#typed;
    this.#typed = '';
    if (typed === '' || !taken.text.includes(typed)) return taken;
    this.#echoes = true;
    const [before = '', ...behind] = taken.text.split(typed);
    return { ...taken, text: before + behind.join(typed).replace(/^\r?\n/, '') };
  }

  async close(): Promise<void> {
    await this.#process.terminate();
    this.#buffer.close();
    if (this.#throughFile) await removeFile(this.#workspace, this.#file);
  }

  async #lineOf(sequence: number, command: string): Promise<string> {
    const line = commandLine(sequence, command);
    if (line !== null) return line;
    const bytes = Buffer.from(command.replaceAll('\0', '')); // no shell can hold it
    await this.#workspace.writeFile(this.#file, bytes, { mode: 0o600 });
    this.#throughFile = true;
    return fileLine(sequence, this.#file);
  }

  #receive(): void {
    const [first, ...more] = this.#arrived;
    if (first === undefined) return;
    const bytes = more.length === 0 ? first : Buffer.concat(this.#arrived);
    this.#arrived = [];
    this.#lastOutputAt = performance.now();
    this.#markers.push(this.#decoder.decode(bytes, { stream: true }), this.#onText, this.#onMarker);
  }

  readonly #onText = (text: string) => this.#buffer.push(this.#filter.push(text));

  readonly #onMarker = (marker: Marker) => this.#marked(marker);

  #marked(marker: Marker): void {
    const isThrownAway = this.#throwsAway(marker);
    if (marker.kind === 'prompt') this.#prompted = marker.sequence;
    if (!isThrownAway && marker.sequence !== this.#pending) return;
    this.#buffer.push(this.#filter.flush());
    this.#pending = null;
    this.#exitCode = marker.kind === 'end' ? marker.exitCode : isThrownAway ? INTERRUPTED : null;
    if (marker.kind === 'end') {
      const { user, host, interpreter, folder, backgroundPid } = marker;
      this.state = { user, host, interpreter, cwd: folder, pid: backgroundPid };
    }
    this.#settle?.();
  }

  /** A Ctrl-C that comes before bash has read the line throws it away: the prompt before it comes once more. */
  #throwsAway({ kind, sequence }: Marker): boolean {
    if (kind !== 'prompt' || this.#pending === null || !this.#isInterrupted) return false;
    return sequence === this.#prompted && sequence < this.#pending;
  }
}

/** Nothing else goes by our names; a workspace that is gone has taken its files along. */
async function removeFile(workspace: Workspace, file: string): Promise<void> {
  await workspace.remove(file).catch(() => undefined);
}

/** Programs that page wait for keys that nobody presses; our own key is not the agent's. */
const ENVIRONMENT = {
  AI_AGENT: process.env['AI_AGENT'] || 'longhand',
  PAGER: process.env['PAGER'] ?? 'cat',
  GIT_PAGER: process.env['GIT_PAGER'] ?? 'cat',
  TERM: 'xterm-256color',
  LLM_API_KEY: undefined,
  SESSION_API_KEY: undefined,
};

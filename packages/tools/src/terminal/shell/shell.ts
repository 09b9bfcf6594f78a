/**
 * A persistent bash on a pseudo-terminal. A command reaches it as one quoted line, or through a private file if it is long,
 * so line editing never sees it; a marker (see start-script.ts) signals its end, so nothing is polled.
 */
import { randomUUID } from 'node:crypto';
import type { ConversationFiles, Process, SpawnOptions, Workspace } from '@longhand/sdk';
import type { ProcessExit } from '@longhand/sdk/internal';
import { defined, headOf, LONGEST_TIMER_MS } from '@longhand/sdk/value';
import { OutputBuffer, type Taken } from '../output/output-buffer.ts';
import { Delivery } from './delivery.ts';
import { type Marker, MarkerStream } from './marker-stream.ts';
import { QueryFilter } from './query-filter.ts';
import { MODES, typedLine } from './start-script.ts';

/** How a wait for a command ended. */
export type ShellEvent =
  /** `exitCode` is null if the command hid it. */
  | { readonly kind: 'done'; readonly exitCode: number | null }
  | { readonly kind: 'quiet' }
  | { readonly kind: 'late' }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'exited'; readonly exit: ProcessExit };

export interface WaitLimits {
  /** Time without output after which the wait ends with `quiet`. */
  readonly quietMs?: number;
  /** Total time after which the wait ends with `late`. */
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
  /** Where large outputs are stored whole; null to store nothing. */
  readonly keepIn: ConversationFiles | null;
  /** Aborts the start. */
  readonly signal?: AbortSignal;
}

const SIZE = { columns: 256, rows: 200 };
/** Beyond this many bytes between two calls, output is read in batches, one every FLOOD_MS. */
const FLOOD_BYTES = 256 * 1_024;
const FLOOD_MS = 4;
const START_MS = 10_000;
const CTRL_C = '\x03';
/** Bash's exit code after Ctrl-C. */
const INTERRUPTED = 130;
/** Timers may fire up to a millisecond early. */
const TIMER_EARLY_MS = 1;

/** Bash was started, but never reached a prompt. */
export class NotReadyError extends Error {
  constructor(how: string, output: string) {
    super(`the shell did not become ready (${how}); its output: ${output}`);
  }
}

export class Shell {
  readonly #process: Process;
  readonly #delivery: Delivery;
  /** Whether the prompt that follows `lost` is still to come. */
  #isRestoring = false;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  readonly #markers: MarkerStream;
  readonly #filter = new QueryFilter();
  readonly #buffer: OutputBuffer;
  #arrived: Uint8Array[] = [];
  /** Bytes received since the last `take`. */
  #unlooked = 0;
  #sequence = 0;
  /** The sequence number of the command that has not ended yet. */
  #pending: number | null = 0;
  #exitCode: number | null = 0;
  /** The sequence number in the last prompt. */
  #prompted: number | null = null;
  /** Whether Ctrl-C was typed since the command started. */
  #isInterrupted = false;
  #exit: ProcessExit | null = null;
  #lastOutputAt = 0;
  /** Wakes the waiter when the command or the shell has ended. */
  #settle: (() => void) | null = null;
  /** The last typed line, which a terminal echoes after a program has reset it. */
  #typed = '';
  #echoes = false;
  /** Called with output as it arrives. */
  onOutput: (text: string) => void = () => undefined;
  /** The state that the last marker reported. */
  state: { readonly [Field in 'user' | 'host' | 'interpreter' | 'cwd']: string } & { readonly pid: number };

  /** Throws a WorkspaceError if bash cannot be started, a NotReadyError if it exits or is not ready within ten seconds. */
  static async start(options: ShellOptions): Promise<Shell> {
    const { workspace, program, cwd, env, terminal, signal } = options;
    signal?.throwIfAborted();
    const nonce = randomUUID();
    const delivery = new Delivery(workspace, { nonce, terminal });
    const spawn: SpawnOptions = { cwd, env: { ...ENVIRONMENT, ...env, PS1: '', PS2: '' } };
    try {
      await delivery.start(options.readsBashrc ?? true);
      signal?.throwIfAborted();
      const bash = await workspace.spawn(
        [program, '--noediting', '--rcfile', delivery.path, '-i'],
        terminal === 'pty' ? { ...spawn, pty: SIZE } : spawn,
      );
      const shell = new Shell(bash, delivery, nonce, options);
      const ready = await shell.wait({ lateMs: START_MS, ...defined({ signal }) });
      const printed = shell.take(); // drops what start-up files print
      if (ready.kind === 'done') return shell;
      await shell.close();
      throw new NotReadyError(ready.kind, headOf(printed.text, 2_000));
    } finally {
      await delivery.clear();
    }
  }

  private constructor(process: Process, delivery: Delivery, nonce: string, options: ShellOptions) {
    this.#process = process;
    this.#delivery = delivery;
    this.#markers = new MarkerStream(nonce);
    this.#buffer = new OutputBuffer(options.keepIn);
    this.state = { user: '', host: '', interpreter: '', cwd: options.cwd, pid: -1 };
    process.onOutput((bytes) => {
      this.#arrived.push(bytes);
      this.#unlooked += bytes.length;
      // A terminal delivers a flood in tiny pieces, which are joined.
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

  /** How the shell itself exited; null while it runs. */
  get exit(): ProcessExit | null {
    return this.#exit;
  }

  /** False on pipes, where there are no keys. */
  get isTty(): boolean {
    return this.#process.isTty;
  }

  /** Starts a command. An incomplete one is typed as it is, so that later input can complete it. */
  async begin(command: string, complete: boolean): Promise<void> {
    await this.#delivery.clear();
    const sequence = this.#sequence + 1;
    const line = complete
      ? await this.#delivery.lineOf(sequence, command)
      : `${typedLine(sequence)}${command}\n`;
    this.#sequence = sequence;
    this.#pending = sequence;
    this.#typed = `${this.#echoes ? ` ${MODES};` : ''}${line}`.trimEnd();
    this.#echoes = false;
    this.#isInterrupted = false;
    this.#isRestoring = false;
    await this.type(`${this.#typed}\n`);
  }

  /** Resolves when the bytes are accepted, which a program that does not read can delay. Bytes for a shell that has exited are dropped. */
  async type(bytes: string): Promise<void> {
    if (bytes === CTRL_C) this.#isInterrupted = true;
    await this.#process.write(bytes).catch(() => undefined); // `wait` reports that the shell has exited
  }

  interrupt(): void {
    if (this.isTty) void this.type(CTRL_C);
    else this.#process.kill('SIGINT');
  }

  /** Waits until the command ends or a limit is reached. */
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

  /** Takes the output since the last call, without the typed line. */
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
    await this.#delivery.clear();
  }

  #receive(): void {
    const [first, ...more] = this.#arrived;
    if (first === undefined) return;
    const bytes = more.length === 0 ? first : Buffer.concat(this.#arrived);
    this.#arrived = [];
    this.#lastOutputAt = performance.now();
    this.#markers.push(this.#decoder.decode(bytes, { stream: true }), this.#onText, this.#onMarker);
  }

  readonly #onText = (text: string) => this.#add(this.#filter.push(text));

  readonly #onMarker = (marker: Marker) => this.#marked(marker);

  #add(text: string): void {
    this.#buffer.push(text);
    this.onOutput(this.#typed === '' ? text : text.replace(this.#typed, '')); // as `take` does
  }

  #marked(marker: Marker): void {
    if (marker.kind === 'lost') {
      if (marker.sequence === this.#pending) void this.#restore(marker.sequence);
      return;
    }
    if (this.#isRestoring && marker.kind === 'prompt') {
      this.#isRestoring = false; // it belongs to the line that printed `lost`
      return;
    }
    const isThrownAway = this.#throwsAway(marker);
    if (marker.kind === 'prompt') this.#prompted = marker.sequence;
    if (!isThrownAway && marker.sequence !== this.#pending) return;
    this.#add(this.#filter.flush());
    this.#pending = null;
    this.#exitCode = marker.kind === 'end' ? marker.exitCode : isThrownAway ? INTERRUPTED : null;
    if (marker.kind === 'end') {
      const { user, host, interpreter, folder, backgroundPid } = marker;
      this.state = { user, host, interpreter, cwd: folder, pid: backgroundPid };
    }
    this.#settle?.();
  }

  /** Defines our functions again, which the command has unset; then the command has ended. */
  async #restore(sequence: number): Promise<void> {
    this.#isRestoring = true;
    await this.type(await this.#delivery.restoringLine(sequence));
  }

  /** A Ctrl-C that arrives before bash has read the line discards it: the previous prompt is printed again. */
  #throwsAway({ kind, sequence }: Marker): boolean {
    if (kind !== 'prompt' || this.#pending === null || !this.#isInterrupted) return false;
    return sequence === this.#prompted && sequence < this.#pending;
  }
}

/** Pagers would wait for keys; our own API keys are not the agent's. */
const ENVIRONMENT = {
  AI_AGENT: process.env['AI_AGENT'] || 'longhand',
  PAGER: process.env['PAGER'] ?? 'cat',
  GIT_PAGER: process.env['GIT_PAGER'] ?? 'cat',
  TERM: 'xterm-256color',
  LLM_API_KEY: undefined,
  SESSION_API_KEY: undefined,
};

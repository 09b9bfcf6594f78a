import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Process, Workspace } from '@longhand/sdk';
import { headOf } from '@longhand/sdk/value';
import { ENVIRONMENT } from '../environment.ts';
import { CellOutput } from '../output.ts';
import { kernelProgram, type ProgramOptions } from '../programs.ts';
import type { CellStatus, Session } from '../session.ts';
import { endOf, saysIdle, show } from './kernel-messages.ts';
import {
  type Channel,
  type Connection,
  ipcConnection,
  type Message,
  openWire,
  tcpConnection,
  type Wire,
} from './wire.ts';

const START_MS = 60_000;
/** When to ask a kernel that has answered again, because the output socket may not have been connected yet. */
const ASK_AGAIN_MS = 20;
/** Some systems limit the path of a socket to 104 characters; ours add 30 to the folder. */
const MAX_FOLDER_CHARACTERS = 70;
/** How long the rest of the output may take to arrive after the kernel has answered. */
const LAST_OUTPUT_MS = 5_000;
const SHUTDOWN_MS = 1_000;
/** Of the output of a crash, the beginning is kept. */
const LAST_OUTPUT_CHARACTERS = 1_000;

/** A pending request. It ends when the kernel has answered and has reported on the other socket that it is idle. */
interface Pending {
  readonly id: string;
  status: CellStatus | null;
  isIdle: boolean;
  /** Whether the kernel has begun to run the cell. Until then it ignores signals. */
  hasBegun: boolean;
  isToStop: boolean;
  /** The id of a request that was sent after its interrupt. */
  followedBy: string | null;
  readonly onReply: (status: CellStatus) => void;
  readonly onEnd: (status: CellStatus) => void;
}

/**
 * Starts ipykernel. Throws an Error with the output of the kernel if it does not start. `directory` is
 * where its sockets and its own files are; it is removed when the session closes.
 */
export async function startKernel(
  workspace: Workspace,
  python: string,
  options: ProgramOptions & {
    readonly zeromq: typeof import('zeromq');
    readonly signal: AbortSignal;
    readonly transport?: Connection['transport'];
  },
): Promise<Session> {
  const { signal, zeromq, transport = workspace.platform === 'win32' ? 'tcp' : 'ipc' } = options;
  const directory = mkdtempSync(
    join(tmpdir().length > MAX_FOLDER_CHARACTERS ? '/tmp' : tmpdir(), 'longhand-kernel-'),
  );
  let process: Process | undefined;
  let kernel: Kernel | undefined;
  try {
    const connection = transport === 'tcp' ? await tcpConnection() : ipcConnection(directory);
    const file = join(directory, 'connection.json');
    writeFileSync(file, JSON.stringify(connection), { mode: 0o600 });
    // A kernel behind a wall or on another machine could not be reached.
    if ((await workspace.stat(file)) === null)
      throw new Error('this workspace does not share its files with us');
    process = await workspace.spawn([python, '-c', kernelProgram(options), file], {
      env: { ...ENVIRONMENT, IPYTHONDIR: join(directory, 'ipython') },
    });
    kernel = new Kernel(process, directory, (onMessage) => openWire(zeromq, connection, onMessage));
    await kernel.ready(signal);
    return kernel;
  } catch (error) {
    await kernel?.close();
    await process?.terminate(); // the kernel may not exist yet
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
}

type OpenWire = (onMessage: (message: Message, channel: Channel) => void) => Wire;

class Kernel implements Session {
  readonly process: Process;
  readonly output = new CellOutput();
  readonly #directory: string;
  readonly #wire: Wire;
  #pending: Pending | null = null;
  #messages = 0;
  #printed = '';
  #hasExited = false;

  constructor(process: Process, directory: string, open: OpenWire) {
    this.process = process;
    this.#directory = directory;
    this.#wire = open((message, channel) => this.#receive(message, channel));
    process.onOutput((bytes, from) => {
      if (from === 'stderr')
        this.#printed = headOf(this.#printed + Buffer.from(bytes).toString(), LAST_OUTPUT_CHARACTERS);
    });
    process.exited.then(
      () => {
        this.#hasExited = true;
      },
      () => undefined,
    );
  }

  /**
   * The output socket may connect later than the kernel sends, and earlier output is lost: the kernel is asked until its
   * answer arrives there too.
   */
  async ready(signal: AbortSignal): Promise<void> {
    const late = AbortSignal.any([signal, AbortSignal.timeout(START_MS)]);
    const exited = this.process.exited.then(() => 'exited' as const);
    const cut = new Promise<'cut'>((resolve) => {
      late.addEventListener('abort', () => resolve('cut'), { once: true });
    });
    for (;;) {
      signal.throwIfAborted();
      const asked = this.#request('kernel_info_request', {});
      const answered = await Promise.race([asked.replied.then(() => 'answered' as const), exited, cut]);
      if (answered === 'exited')
        throw new Error(`ipykernel ended while starting; its output: ${this.lastOutput()}`);
      if (answered === 'cut') {
        signal.throwIfAborted();
        throw new Error(`ipykernel was not ready after ${START_MS / 1_000} seconds`);
      }
      const heard = await Promise.race([asked.ended.then(() => true), sleep(ASK_AGAIN_MS, false)]);
      if (heard) break;
    }
    this.output.take(); // output of the start does not belong to a cell
  }

  async execute(code: string): Promise<CellStatus> {
    this.#printed = '';
    const { replied, ended } = this.#request('execute_request', {
      code,
      silent: false,
      store_history: false,
      user_expressions: {},
      allow_stdin: false,
      stop_on_error: false, // of cells that wait behind it; none does
    });
    const status = await replied;
    const over = new AbortController();
    try {
      return await Promise.race([ended, this.#silence(over.signal).then(() => status)]);
    } finally {
      over.abort();
      this.#pending = null;
    }
  }

  interrupt(): void {
    if (this.#pending?.hasBegun === false) {
      this.#pending.isToStop = true;
      return;
    }
    this.process.kill('SIGINT');
    // A kernel that awaits something notices the signal only with the next message. One that was interrupted in its own code
    // does not answer the cell any more, but answers the next request.
    const id = randomUUID();
    if (this.#pending !== null) this.#pending.followedBy = id;
    this.#wire.send(id, 'kernel_info_request', {}).catch(() => undefined);
  }

  lastOutput(): string {
    return this.#printed.trim();
  }

  async close(): Promise<void> {
    if (!this.#hasExited && this.#pending === null) {
      // When asked, it runs the exit handlers of cells; after that it is terminated.
      const asked = this.#wire
        .send(randomUUID(), 'shutdown_request', { restart: false })
        .catch(() => undefined);
      await Promise.race([asked.then(() => this.process.exited), sleep(SHUTDOWN_MS)]);
    }
    this.#wire.close();
    await this.process.terminate();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #request(type: string, content: object) {
    const replied = Promise.withResolvers<CellStatus>();
    const ended = Promise.withResolvers<CellStatus>();
    const id = randomUUID();
    this.#pending = {
      id,
      status: null,
      isIdle: false,
      hasBegun: false,
      isToStop: false,
      followedBy: null,
      onReply: replied.resolve,
      onEnd: ended.resolve,
    };
    this.#wire.send(id, type, content).catch(replied.reject);
    return { replied: replied.promise, ended: ended.promise };
  }

  /** Resolves when no message has arrived for a while, so that lost output is not awaited for ever. */
  async #silence(signal: AbortSignal): Promise<void> {
    for (let before = -1; before !== this.#messages; ) {
      before = this.#messages;
      await sleep(LAST_OUTPUT_MS, undefined, { signal });
    }
  }

  #receive(message: Message, channel: Channel): void {
    this.#messages += 1;
    if (channel === 'shell' && message.parentId === this.#pending?.followedBy) {
      if (this.#pending?.status === null) this.#answered(this.#pending, 'error');
      return;
    }
    const pending = this.#pending?.id === message.parentId ? this.#pending : null;
    if (channel === 'shell') {
      if (pending === null || !message.type.endsWith('_reply')) return;
      this.#answered(pending, endOf(message, this.output));
      return;
    } else if (message.type === 'status') {
      if (pending === null || !saysIdle(message)) return;
      pending.isIdle = true;
    } else if (message.type === 'execute_input') {
      if (pending === null) return;
      pending.hasBegun = true;
      if (pending.isToStop) this.interrupt();
    } else {
      show(message, this.output); // from any cell: background output is shown with the next one
    }
    if (pending !== null) this.#endIfOver(pending);
  }

  #answered(pending: Pending, status: CellStatus): void {
    pending.status = status;
    pending.onReply(status);
    this.#endIfOver(pending);
  }

  #endIfOver(pending: Pending): void {
    if (pending.status === null || !pending.isIdle) return;
    this.#pending = null;
    pending.onEnd(pending.status);
  }
}

/** One MCP server of one conversation: connects, calls, and reconnects when the connection is lost. */
import type { McpServer } from '@longhand/sdk/internal';
import {
  ANYTHING,
  type Connection,
  type ConnectOptions,
  closeConnection,
  connectServer,
  lastWords,
  toolsOf,
} from './connect.ts';
import { isTimeout, lossOf } from './faults.ts';
import type { Listed } from './list-tools.ts';

export interface ServerOptions extends ConnectOptions {
  /** For one call; progress restarts it. */
  readonly callMs: number;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (text: string) => void;
  /** Whether the call may be repeated when it is unknown whether it had an effect. */
  readonly isRepeatable: boolean;
}

/** For one call, regardless of progress. */
const MAX_CALL_MS = 3_600_000;

const EFFECT_UNKNOWN = ' It is unknown whether the call had an effect.';

/** A call that has no result; the message goes to the model. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
}

export class ServerSession {
  readonly name: string;
  readonly #config: McpServer;
  readonly #options: ServerOptions;
  #connection: Connection | null = null;
  /** Settles when the changed list of tools has been read. */
  #refreshed: Promise<void> = Promise.resolve();
  #reconnecting: Promise<Connection> | null = null;
  #onChange: () => Promise<void> = async () => undefined;
  #closed = false;

  constructor(name: string, config: McpServer, options: ServerOptions) {
    this.name = name;
    this.#config = config;
    this.#options = options;
  }

  /** As the server listed them last. */
  get tools(): readonly Listed[] {
    return this.#connection?.tools ?? [];
  }

  /** Masks the secrets of the configuration. */
  mask(text: string): string {
    return this.#connection?.mask(text) ?? text;
  }

  /** Called after each change of `tools` after `connect`; calls wait for it. Must not reject. */
  onChange(listener: () => Promise<void>): void {
    this.#onChange = listener;
  }

  /** Throws an Error that says why the server cannot be used, and what may help. */
  async connect(): Promise<void> {
    this.#connection = await this.#open();
  }

  /** The result as the server sent it. Throws CallFailed. */
  async call(tool: string, args: object, options: CallOptions): Promise<unknown> {
    await this.#refreshed;
    const known = this.#connection;
    const connection = known?.isOpen === true ? known : await this.#reconnect(known);
    try {
      return await this.#request(connection, tool, args, options);
    } catch (error) {
      if (options.signal.aborted) throw error;
      const loss = lossOf(error);
      // A call that loses the server again after a reconnect is not tried a third time.
      if (loss === undefined || connection !== known) throw this.#failure(error, connection);
      const again = await this.#reconnect(connection, loss === 'during' ? EFFECT_UNKNOWN : '');
      if (loss === 'during' && !options.isRepeatable)
        throw new CallFailed(
          `The MCP server "${this.name}" was lost during the call${lastWords(connection)}. It has been reconnected.${EFFECT_UNKNOWN}`,
        );
      try {
        return await this.#request(again, tool, args, options);
      } catch (second) {
        throw options.signal.aborted ? second : this.#failure(second, again);
      }
    }
  }

  /** Idempotent; never rejects. */
  async close(): Promise<void> {
    this.#closed = true;
    const connection = this.#connection;
    this.#connection = null;
    if (connection !== null) await closeConnection(connection);
  }

  async #request(connection: Connection, tool: string, args: object, options: CallOptions): Promise<unknown> {
    if (!connection.tools.some(({ name }) => name === tool))
      throw new CallFailed(`The tool "${tool}" no longer exists: its MCP server has removed it.`);
    const request = { method: 'tools/call', params: { name: tool, arguments: { ...args } } };
    return await connection.client.request(request, ANYTHING, {
      timeout: this.#callMs(),
      resetTimeoutOnProgress: true,
      maxTotalTimeout: MAX_CALL_MS,
      signal: options.signal,
      onprogress: ({ progress, total, message }) => {
        const figures = total === undefined ? String(progress) : `${progress} of ${total}`;
        options.onProgress(message === undefined || message === '' ? figures : `${figures}: ${message}`);
      },
    });
  }

  #callMs(): number {
    const { timeout } = this.#config;
    if (timeout === undefined) return this.#options.callMs;
    return timeout > 3_600 ? timeout : timeout * 1_000;
  }

  #failure(error: unknown, connection: Connection): CallFailed {
    if (error instanceof CallFailed) return error;
    const { message } = error as Error;
    const text = isTimeout(error)
      ? `The MCP server "${this.name}" did not answer within ${this.#callMs() / 1_000} s. The call was cancelled.${EFFECT_UNKNOWN}`
      : `The MCP server "${this.name}" could not execute the call: ${message}${lastWords(connection)}`;
    return new CallFailed(text);
  }

  /** Reconnects once for all calls that wait for it. */
  async #reconnect(lost: Connection | null, doubt = ''): Promise<Connection> {
    if (this.#closed) throw new CallFailed(`The MCP server "${this.name}" is closed.`);
    // Another call has reconnected meanwhile.
    if (this.#connection !== null && this.#connection !== lost) return this.#connection;
    this.#reconnecting ??= (async () => {
      if (lost !== null) await closeConnection(lost);
      const connection = await this.#open();
      if (this.#closed) await closeConnection(connection);
      else this.#connection = connection;
      await this.#onChange();
      return connection;
    })().finally(() => {
      this.#reconnecting = null;
    });
    try {
      return await this.#reconnecting;
    } catch (error) {
      throw new CallFailed(
        `The MCP server "${this.name}" was lost and cannot be reconnected: ${(error as Error).message}.${doubt}`,
      );
    }
  }

  async #open(): Promise<Connection> {
    return await connectServer(this.name, this.#config, this.#options, (connection) =>
      this.#refresh(connection),
    );
  }

  /** Reads the changed list in the background; calls wait for it. Several changes at once are read one after another. */
  #refresh(connection: Connection): void {
    this.#refreshed = this.#refreshed.then(async () => {
      if (!connection.isOpen || this.#closed) return;
      try {
        connection.tools = await toolsOf(connection, this.name, this.#options);
        if (connection === this.#connection) await this.#onChange();
      } catch (error) {
        if (connection.isOpen && !this.#closed)
          this.#options.onWarning(
            `the MCP server "${this.name}" announced a change of its tools, but they cannot be listed: ${(error as Error).message}`,
          );
      }
    });
  }
}

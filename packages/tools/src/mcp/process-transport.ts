/** MCP over the pipes of a program: one JSON message per line in each direction. */

import type { Process, Workspace } from '@longhand/sdk';
import { isRecord, tailOf } from '@longhand/sdk/value';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

export interface Launch {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: { readonly [name: string]: string | undefined };
}

export interface ProcessTransport extends Transport {
  /** The program's last output that was not MCP, and how it exited; for error messages. */
  lastWords(): string;
}

/** Longer messages end the connection. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const MAX_WORDS = 4_000;
/** How long a program may take to exit after its input is closed. */
const GOODBYE_MS = 500;

/** The workspace starts the program, so that it has the same restrictions and ends with it. */
export function processTransport(workspace: Workspace, launch: Launch): ProcessTransport {
  let process: Process | undefined;
  let words = '';
  let ending: string | undefined;
  const hear = (said: string) => {
    words = tailOf(`${words}${said}`, MAX_WORDS);
  };
  const transport: ProcessTransport = {
    start: async () => {
      const started = await workspace.spawn(launch.argv, { cwd: launch.cwd, env: launch.env });
      process = started;
      const takeLine = (line: Buffer) => {
        const message = messageIn(line);
        if (message === undefined) hear(`${line.toString('utf8', 0, MAX_WORDS)}\n`);
        else transport.onmessage?.(message);
      };
      const lines = lineSplitter(takeLine, () => {
        ending = `it sent more than ${MAX_MESSAGE_BYTES} bytes in one message`;
        void started.terminate(); // onclose is called when it has exited
      });
      started.onOutput((bytes, stream) => {
        if (stream === 'stdout') lines(bytes);
        else hear(Buffer.from(bytes).toString('utf8'));
      });
      void started.exited.then(({ code, signal }) => {
        ending ??= signal === null ? `it exited with code ${code}` : `it was killed by ${signal}`;
        transport.onclose?.();
      });
    },
    send: async (message) => {
      if (process === undefined || ending !== undefined) throw new Error('the server is not running');
      await process.write(`${JSON.stringify(message)}\n`);
    },
    close: async () => {
      if (process === undefined) return;
      process.end();
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise((resolve) => {
        timer = setTimeout(resolve, GOODBYE_MS);
      });
      await Promise.race([process.exited, late]);
      clearTimeout(timer);
      await process.terminate();
    },
    lastWords: () =>
      [ending, words.trim()].filter((each) => each !== undefined && each !== '').join('; it said: '),
  };
  return transport;
}

/** Undefined for output that is not a message. */
function messageIn(line: Buffer): JSONRPCMessage | undefined {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'));
    if (!isRecord(value) || !('jsonrpc' in value)) return undefined;
    return ('result' in value && !isRecord(value['result']) ? noAnswer(value) : value) as JSONRPCMessage;
  } catch {
    return undefined; // counts as output of the program
  }
}

/** The error for an invalid result; the client would ignore the result and wait until the time limit. */
function noAnswer({ jsonrpc, id }: { readonly [key: string]: unknown }): object {
  return {
    jsonrpc,
    id,
    error: { code: -32_603, message: 'its response is not valid MCP: the result is not an object' },
  };
}

/** Splits bytes into lines as they arrive, in time proportional to their length. */
function lineSplitter(onLine: (line: Buffer) => void, onFlood: () => void): (bytes: Uint8Array) => void {
  let parts: Buffer[] = [];
  let length = 0;
  let flooded = false;
  return (bytes) => {
    if (flooded) return;
    let rest = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      const line =
        parts.length === 0 ? rest.subarray(0, end) : Buffer.concat([...parts, rest.subarray(0, end)]);
      parts = [];
      length = 0;
      rest = rest.subarray(end + 1);
      if (line.some((byte) => byte > 32)) onLine(line);
    }
    if (rest.length === 0) return;
    parts.push(rest);
    length += rest.length;
    if (length <= MAX_MESSAGE_BYTES) return;
    flooded = true;
    parts = [];
    onFlood();
  };
}

/** MCP on the pipes of a program: one JSON message a line, out and in. */

import type { Process, Workspace } from '@longhand/sdk';
import { isRecord } from '@longhand/sdk/value';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

export interface Launch {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: { readonly [name: string]: string | undefined };
}

export interface ProcessTransport extends Transport {
  /** What the program said last that was not MCP, and how it ended; for messages. */
  lastWords(): string;
}

/** A message that is longer is no message, but a flood. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
const MAX_WORDS = 4_000;
/** For a program to end by itself when nobody speaks to it any more. */
const GOODBYE_MS = 500;

/** The program is started by the workspace: it is confined as everything else there, and ends with it. */
export function processTransport(workspace: Workspace, launch: Launch): ProcessTransport {
  let process: Process | undefined;
  let words = '';
  let ending: string | undefined;
  const hear = (said: string) => {
    words = `${words}${said}`.slice(-MAX_WORDS);
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
        void started.terminate(); // onclose is told when it has ended
      });
      started.onOutput((bytes, stream) => {
        if (stream === 'stdout') lines(bytes);
        else hear(Buffer.from(bytes).toString('utf8'));
      });
      void started.exited.then(({ code, signal }) => {
        ending ??= signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`;
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

/** Programs print things that are no messages; these are let be. */
function messageIn(line: Buffer): JSONRPCMessage | undefined {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'));
    if (!isRecord(value) || !('jsonrpc' in value)) return undefined;
    return ('result' in value && !isRecord(value['result']) ? noAnswer(value) : value) as JSONRPCMessage;
  } catch {
    return undefined; // told as words of the program
  }
}

/** The client would pass over what is no result, and wait for its time to run out. */
function noAnswer({ jsonrpc, id }: { readonly [key: string]: unknown }): object {
  return { jsonrpc, id, error: { code: -32_603, message: 'its answer is not as MCP has it (no object)' } };
}

/** Takes bytes as they come; a long line costs no more than its length. */
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

/**
 * The wire between a front end and a Jupyter kernel: messaging protocol 5.3,
 * https://jupyter-client.readthedocs.io/en/stable/messaging.html. A message is a list of frames:
 *
 *     identities... | <IDS|MSG> | HMAC of the next four | header | parent header | metadata | content | buffers...
 */
import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import type { Dealer, Subscriber } from 'zeromq';
import * as z from 'zod';

const DELIMITER = '<IDS|MSG>';
const VERSION = '5.3';
/** Far more than is kept of any output, and less than the limit of a string. */
const MAX_CONTENT_BYTES = 200_000_000;

/** What is written into a kernel's connection file; wire names. */
export interface Connection {
  readonly transport: 'ipc' | 'tcp';
  /** An address, or for `ipc` the path that each socket's begins with. */
  readonly ip: string;
  readonly shell_port: number;
  readonly iopub_port: number;
  readonly stdin_port: number;
  readonly control_port: number;
  readonly hb_port: number;
  readonly key: string;
  readonly signature_scheme: 'hmac-sha256';
  readonly kernel_name: string;
}

const header = z.object({ msg_id: z.string(), msg_type: z.string() });
const parent = z.object({ msg_id: z.string().optional() });
const content = z.record(z.string(), z.unknown());

export interface Message {
  readonly type: string;
  /** Of the request that it came of; null if of none. */
  readonly parentId: string | null;
  readonly content: { readonly [key: string]: unknown };
}

export interface Wire {
  /** Sends a request under an id of the caller's own; requests leave in the order of the calls. */
  send(id: string, type: string, content: object): Promise<void>;
  close(): void;
}

export type Channel = 'shell' | 'iopub';

/** With sockets in `directory`, which only this user may enter: nobody else can reach the kernel, and no port is taken. */
export function ipcConnection(directory: string): Connection {
  return connection('ipc', join(directory, 's'), [1, 2, 3, 4, 5]);
}

/** For where there are no sockets in folders. */
export async function tcpConnection(): Promise<Connection> {
  return connection('tcp', '127.0.0.1', await freePorts(5));
}

function connection(transport: 'ipc' | 'tcp', ip: string, ports: readonly number[]): Connection {
  const [shell = 0, iopub = 0, stdin = 0, control = 0, heartbeat = 0] = ports;
  return {
    transport,
    ip,
    shell_port: shell,
    iopub_port: iopub,
    stdin_port: stdin,
    control_port: control,
    hb_port: heartbeat,
    key: randomBytes(32).toString('hex'),
    signature_scheme: 'hmac-sha256',
    kernel_name: 'longhand',
  };
}

async function freePorts(count: number): Promise<number[]> {
  const { createServer } = await import('node:net');
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(0, '127.0.0.1', resolve);
      });
      return server;
    }),
  );
  return await Promise.all(
    servers.map(async (server) => {
      const address = server.address();
      await new Promise((resolve) => server.close(resolve));
      return typeof address === 'object' && address !== null ? address.port : 0;
    }),
  );
}

/** Null if the package is not installed or its binary cannot be loaded here. */
export async function loadZeromq(): Promise<typeof import('zeromq') | null> {
  try {
    return await import('zeromq');
  } catch {
    return null; // an optional package: the caller continues without it and says so
  }
}

/** Connects to the sockets of a kernel, which need not exist yet. Messages that are not signed with the key are dropped. */
export function openWire(
  zeromq: typeof import('zeromq'),
  connection: Connection,
  onMessage: (message: Message, channel: Channel) => void,
): Wire {
  // Output must not be dropped because it is read slowly, and closing a socket must not wait.
  const options = { linger: 0, reconnectInterval: 10, receiveHighWaterMark: 0 };
  const shell = new zeromq.Dealer({ ...options, routingId: randomUUID() });
  const iopub = new zeromq.Subscriber(options);
  shell.connect(addressOf(connection, connection.shell_port));
  iopub.connect(addressOf(connection, connection.iopub_port));
  iopub.subscribe();
  const session = randomUUID();
  const listen = async (socket: Dealer | Subscriber, channel: Channel) => {
    for await (const frames of socket) {
      try {
        const message = decode(connection.key, frames);
        if (message !== null) onMessage(message, channel);
      } catch (error) {
        // An unreadable message, such as one with NaN, must not stop the others.
        if (!(error instanceof SyntaxError || error instanceof z.ZodError)) throw error;
      }
    }
  };
  // A socket fails only when it is closed during a read, and then nobody waits for it.
  for (const listening of [listen(shell, 'shell'), listen(iopub, 'iopub')]) listening.catch(() => undefined);
  let sending = Promise.resolve();
  return {
    send: (id, type, content) => {
      // A socket takes one message at a time.
      const sent = sending.then(() => shell.send(encode(connection.key, { id, type, session, content })));
      sending = sent.catch(() => undefined); // reported to the sender
      return sent;
    },
    close: () => {
      shell.close();
      iopub.close();
    },
  };
}

function addressOf({ transport, ip }: Connection, port: number): string {
  return transport === 'ipc' ? `ipc://${ip}-${port}` : `tcp://${ip}:${port}`;
}

export function encode(
  key: string,
  request: { readonly id: string; readonly type: string; readonly session: string; readonly content: object },
): Buffer[] {
  const header = {
    msg_id: request.id,
    session: request.session,
    username: 'longhand',
    date: new Date().toISOString(),
    msg_type: request.type,
    version: VERSION,
  };
  const parts = [header, {}, {}, request.content].map((part) => Buffer.from(JSON.stringify(part)));
  return [Buffer.from(DELIMITER), Buffer.from(sign(key, parts).toString('hex')), ...parts];
}

/** Null if this is not a message or is not signed with the key. Content that is too large is replaced by a note in the output. */
export function decode(
  key: string,
  frames: readonly Uint8Array[],
  maxBytes = MAX_CONTENT_BYTES,
): Message | null {
  const buffers = frames.map((frame) => Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength));
  const at = buffers.findIndex((frame) => frame.toString('latin1') === DELIMITER);
  const [signature, ...parts] = buffers.slice(at + 1, at + 6);
  if (at === -1 || signature === undefined || parts.length < 4) return null;
  const expected = sign(key, parts);
  const given = Buffer.from(signature.toString('latin1'), 'hex');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  const [head, origin, , body] = parts.map((part) =>
    part.length > maxBytes ? null : (JSON.parse(part.toString()) as unknown),
  );
  const parentId = parent.parse(origin).msg_id ?? null;
  if (body === null) return { type: 'stream', parentId, content: { text: tooBig(parts) } };
  return { type: header.parse(head).msg_type, parentId, content: content.parse(body) };
}

function tooBig(parts: readonly Buffer[]): string {
  const bytes = parts.reduce((sum, part) => sum + part.length, 0);
  return `[${Math.round(bytes / 1_000_000)} MB of output in one piece are omitted here]\n`;
}

function sign(key: string, parts: readonly Buffer[]): Buffer {
  const hmac = createHmac('sha256', key);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}

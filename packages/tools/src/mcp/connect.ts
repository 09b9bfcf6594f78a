/** A connection to one MCP server: opened as configured, logged in, with its tools listed. */
import { resolve } from 'node:path';
import type { Workspace } from '@longhand/sdk';
import { expandPlaceholders, type McpServer, masker, REDACTED, secretsOf } from '@longhand/sdk/internal';
import { defined } from '@longhand/sdk/value';
import type { Client, Transport } from '@modelcontextprotocol/client';
import { isTimeout, isUnauthorized, statusOf } from './faults.ts';
import { type Listed, listTools } from './list-tools.ts';
import type { Login } from './oauth.ts';
import { type ProcessTransport, processTransport } from './process-transport.ts';
import { type RemoteKind, type RemoteTransport, remoteTransport } from './remote-transport.ts';

export interface ConnectOptions {
  readonly workspace: Workspace;
  /** The environment for placeholders. */
  readonly variables: { readonly [name: string]: string | undefined };
  readonly onWarning: (text: string) => void;
  /** The limit for connecting and listing the tools. */
  readonly connectMs: number;
  /** The limit for the user to log in. */
  readonly loginMs: number;
}

export interface Connection {
  readonly client: Client;
  readonly transport: Transport;
  /** Masks the secrets of its configuration. */
  readonly mask: (text: string) => string;
  isOpen: boolean;
  tools: readonly Listed[];
}

type Changed = (connection: Connection) => void;

/** What opening a connection needs, with placeholders expanded. */
interface Attempt {
  readonly name: string;
  readonly config: McpServer;
  readonly options: ConnectOptions;
  readonly onChanged: Changed;
}

/**
 * Placeholders are expanded each time, and the result is not stored. `onChanged` is called when the server says that its
 * tools have changed. Throws an Error that says why the server cannot be used, and what may help.
 */
export async function connectServer(
  name: string,
  written: McpServer,
  options: ConnectOptions,
  onChanged: Changed,
): Promise<Connection> {
  const config = expanded(written, options.variables);
  const attempt = { name, config, options, onChanged };
  if (config.command !== undefined) return await attempted(attempt, launched(config, options.workspace));
  if (config.auth?.strategy !== 'oauth2') return await connectRemote(attempt, undefined);
  const { openLogin } = await import('./oauth.ts');
  const login = await openLogin({
    server: name,
    url: config.url ?? '',
    auth: config.auth,
    limitMs: options.loginMs,
    onWarning: options.onWarning,
  });
  try {
    return await connectRemote(attempt, login);
  } finally {
    login.close();
  }
}

/** An empty variable counts as unset if there is a default, as in a shell. */
function expanded(server: McpServer, variables: ConnectOptions['variables']): McpServer {
  if (JSON.stringify(server).includes(JSON.stringify(REDACTED)))
    throw new Error('its secrets are not stored with the conversation; pass its configuration again');
  return expandPlaceholders(server, (variable, fallback) => {
    const value = variables[variable];
    if (value !== undefined && (value !== '' || fallback === undefined)) return value;
    if (fallback !== undefined) return fallback;
    throw new Error(`its configuration needs the variable ${variable}, which is not set`);
  });
}

/** Tries streamable HTTP first; servers older than 2025-03-26 refuse it. */
async function connectRemote(attempt: Attempt, login: Login | undefined): Promise<Connection> {
  if (attempt.config.transport === 'sse') return await connectKind(attempt, 'sse', login);
  try {
    return await connectKind(attempt, 'http', login);
  } catch (error) {
    const status = statusOf(error);
    if (status === undefined || status < 400 || status > 499 || status === 401 || status === 403) throw error;
    return await connectKind(attempt, 'sse', login).catch(() => {
      throw error; // the error of streamable HTTP
    });
  }
}

async function connectKind(
  attempt: Attempt,
  kind: RemoteKind,
  login: Login | undefined,
): Promise<Connection> {
  const make = () => remoteTransport(attempt.config, kind, login?.provider);
  const transport = await make();
  try {
    return await attempted(attempt, transport);
  } catch (error) {
    if (!isUnauthorized(error)) throw error;
    if (login === undefined)
      throw new Error('it requires a login: configure its "auth", for example "auth": "oauth"', {
        cause: error,
      });
    await transport.finishAuth(await login.answer());
    return await attempted(attempt, await make());
  }
}

function launched({ command = '', args = [], env, cwd }: McpServer, workspace: Workspace): ProcessTransport {
  return processTransport(workspace, {
    argv: [command, ...args],
    cwd: cwd === undefined ? workspace.root : resolve(workspace.root, cwd),
    env: { ...withoutOurs(), ...env },
  });
}

/** The variables that a program needs to run and to reach the network; servers must not get our keys. */
const ENVIRONMENT =
  /^(?:PATH|HOME|LOGNAME|SHELL|TERM|USER|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|SYSTEMROOT|\w+_PROXY|SSL_CERT_\w+|NODE_EXTRA_CA_CERTS)$/i;

function withoutOurs(): { readonly [name: string]: undefined } {
  const names = Object.keys(process.env).filter((name) => !ENVIRONMENT.test(name));
  return Object.fromEntries(names.map((name) => [name, undefined]));
}

/** Connects and lists the tools, within one time limit for both. */
async function attempted(attempt: Attempt, transport: Transport): Promise<Connection> {
  const { Client } = await import('@modelcontextprotocol/client');
  const { connectMs } = attempt.options;
  const client = new Client(
    { name: 'longhand', version: '1' },
    {
      listChanged: {
        tools: { autoRefresh: false, debounceMs: 0, onChanged: () => attempt.onChanged(connection) },
      },
    },
  );
  const connection: Connection = {
    client,
    transport,
    mask: masker(secretsIn(attempt.config)),
    isOpen: true,
    tools: [],
  };
  client.onclose = () => {
    connection.isOpen = false;
  };
  client.onerror = () => undefined; // the failing request reports it
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Late()), connectMs);
  });
  try {
    const connecting = client
      .connect(transport, { timeout: connectMs })
      .then(() => toolsOf(connection, attempt.name, attempt.options));
    connection.tools = await Promise.race([connecting, late]);
    return connection;
  } catch (error) {
    const words = lastWords(connection);
    await closeConnection(connection);
    if (isUnauthorized(error) || statusOf(error) !== undefined) throw error;
    throw new Error(
      error instanceof Late || isTimeout(error)
        ? `MCP_TIMEOUT: it did not answer within ${connectMs / 1_000} s${words}. Test its command or URL separately; run a program that is downloaded first (npx, uvx) once beforehand`
        : `${messageOf(error)}${words}`,
      { cause: error },
    );
  } finally {
    clearTimeout(timer);
  }
}

class Late extends Error {}

/** `fetch failed` is useless without its cause. */
function messageOf(error: unknown): string {
  const { message, cause } = error as Error;
  return message === 'fetch failed' && cause instanceof Error ? `${message} (${cause.message})` : message;
}

/** Lists the tools of a server. */
export async function toolsOf(
  { client }: Connection,
  name: string,
  { connectMs, onWarning }: ConnectOptions,
): Promise<readonly Listed[]> {
  return await listTools(
    (cursor) =>
      client.request(
        { method: 'tools/list', ...defined({ params: cursor === undefined ? undefined : { cursor } }) },
        ANYTHING,
        {
          timeout: connectMs,
        },
      ),
    (text) => onWarning(`the MCP server "${name}": ${text}`),
  );
}

/** Accepts any result: it is checked where it is used, because servers violate their own schemas. */
export const ANYTHING = {
  '~standard': {
    version: 1 as const,
    vendor: 'longhand',
    validate: (value: unknown) => ({ value }),
  },
};

/** Configured values that must not reach the model. */
function secretsIn({ env = {}, headers = {}, auth }: McpServer): string[] {
  const fields = auth === undefined ? [] : Object.entries(auth).filter(([key]) => key !== 'strategy');
  const values = fields.flatMap(([key, value]) =>
    key === 'value' || key === 'password' ? [String(value)] : key === 'headers' ? Object.values(value) : [],
  );
  const ofHeaders = Object.values(headers).flatMap((value) => [value, value.split(' ').at(-1) ?? '']);
  return [...secretsOf(env), ...ofHeaders, ...values.map(String)];
}

const GOODBYE_MS = 1_000;

/** Never rejects. */
export async function closeConnection({ client, transport }: Connection): Promise<void> {
  const { terminateSession } = transport as Partial<RemoteTransport>;
  if (terminateSession !== undefined) {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, GOODBYE_MS);
    });
    await Promise.race([terminateSession.call(transport).catch(() => undefined), late]);
    clearTimeout(timer);
  }
  await client.close().catch(() => undefined);
  // A client does not close a transport that has ended, but child processes may remain.
  await transport.close().catch(() => undefined);
}

export function lastWords({ transport }: Connection): string {
  const words = (transport as Partial<ProcessTransport>).lastWords?.() ?? '';
  return words === '' ? '' : ` (${words})`;
}

/** A connection to one MCP server: opened by whatever way its configuration names, logged in, asked for its tools. */
import { resolve } from 'node:path';
import type { Workspace } from '@longhand/sdk';
import { expandPlaceholders, type McpServer, masker, REDACTED, secretsOf } from '@longhand/sdk/internal';
import type { Client, Transport } from '@modelcontextprotocol/client';
import { isTimeout, isUnauthorized, statusOf } from './faults.ts';
import { type Listed, listTools } from './list-tools.ts';
import type { Login } from './oauth.ts';
import { type ProcessTransport, processTransport } from './process-transport.ts';
import { type RemoteKind, type RemoteTransport, remoteTransport } from './remote-transport.ts';

export interface ConnectOptions {
  readonly workspace: Workspace;
  /** For placeholders. */
  readonly variables: { readonly [name: string]: string | undefined };
  readonly onWarning: (text: string) => void;
  /** To connect and to list the tools. */
  readonly connectMs: number;
  /** For the user, to log in. */
  readonly loginMs: number;
}

export interface Connection {
  readonly client: Client;
  readonly transport: Transport;
  /** Hides what its configuration has of secrets. */
  readonly mask: (text: string) => string;
  isOpen: boolean;
  tools: readonly Listed[];
}

type Changed = (connection: Connection) => void;

/** What is needed to open a connection, once its configuration is expanded. */
interface Attempt {
  readonly name: string;
  readonly config: McpServer;
  readonly options: ConnectOptions;
  readonly onChanged: Changed;
}

/**
 * Placeholders are expanded anew each time; what comes of it is not kept. `onChanged` is called when the server says that its
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

/** An empty variable counts as one that is not set if there is a default, as in a shell. */
function expanded(server: McpServer, variables: ConnectOptions['variables']): McpServer {
  if (JSON.stringify(server).includes(JSON.stringify(REDACTED)))
    throw new Error('its secret values are not stored with the conversation: give its configuration again');
  return expandPlaceholders(server, (variable, fallback) => {
    const value = variables[variable];
    if (value !== undefined && (value !== '' || fallback === undefined)) return value;
    if (fallback !== undefined) return fallback;
    throw new Error(`the variable ${variable} is not set, which its configuration names`);
  });
}

/** Streamable HTTP first; servers of before 2025-03-26 refuse that. */
async function connectRemote(attempt: Attempt, login: Login | undefined): Promise<Connection> {
  if (attempt.config.transport === 'sse') return await connectKind(attempt, 'sse', login);
  try {
    return await connectKind(attempt, 'http', login);
  } catch (error) {
    const status = statusOf(error);
    if (status === undefined || status < 400 || status > 499 || status === 401 || status === 403) throw error;
    return await connectKind(attempt, 'sse', login).catch(() => {
      throw error; // that of the way that is usual today
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
      throw new Error('it wants a login: configure its "auth", e.g. "auth": "oauth"', { cause: error });
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

/** What a program needs to run, and to reach the net; keys and the like of ours are not for servers. */
const ENVIRONMENT =
  /^(?:PATH|HOME|LOGNAME|SHELL|TERM|USER|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|SYSTEMROOT|\w+_PROXY|SSL_CERT_\w+|NODE_EXTRA_CA_CERTS)$/i;

function withoutOurs(): { readonly [name: string]: undefined } {
  const names = Object.keys(process.env).filter((name) => !ENVIRONMENT.test(name));
  return Object.fromEntries(names.map((name) => [name, undefined]));
}

/** Connects and lists the tools, within the time that there is for both. */
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
  client.onerror = () => undefined; // what matters of it is told by the request that fails
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
        ? `MCP_TIMEOUT: it has not answered within ${connectMs / 1_000} s${words}. Try its command or address by itself; a program that is fetched first (npx, uvx) may need to be fetched once before`
        : `${messageOf(error)}${words}`,
      { cause: error },
    );
  } finally {
    clearTimeout(timer);
  }
}

class Late extends Error {}

/** `fetch failed` says nothing without its cause. */
function messageOf(error: unknown): string {
  const { message, cause } = error as Error;
  return message === 'fetch failed' && cause instanceof Error ? `${message} (${cause.message})` : message;
}

/** Asks a server for its tools. */
export async function toolsOf(
  { client }: Connection,
  name: string,
  { connectMs, onWarning }: ConnectOptions,
): Promise<readonly Listed[]> {
  return await listTools(
    (cursor) =>
      client.request(
        { method: 'tools/list', ...(cursor === undefined ? {} : { params: { cursor } }) },
        ANYTHING,
        {
          timeout: connectMs,
        },
      ),
    (text) => onWarning(`the MCP server "${name}": ${text}`),
  );
}

/** Results are looked at where they are used, since servers do not keep to their schemas. */
export const ANYTHING = {
  '~standard': {
    version: 1 as const,
    vendor: 'longhand',
    validate: (value: unknown) => ({ value }),
  },
};

/** Values that a server may know and a model need not. */
function secretsIn({ env = {}, headers = {}, auth }: McpServer): string[] {
  const fields = auth === undefined ? [] : Object.entries(auth).filter(([key]) => key !== 'strategy');
  const values = fields.flatMap(([key, value]) =>
    key === 'value' || key === 'password' ? [String(value)] : key === 'headers' ? Object.values(value) : [],
  );
  const ofHeaders = Object.values(headers).flatMap((value) => [value, value.split(' ').at(-1) ?? '']);
  return [...secretsOf(env), ...ofHeaders, ...values.map(String)];
}

const GOODBYE_MS = 1_000;

/** Never rejects: a connection that is given up owes us nothing. */
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
  // A client whose transport has ended does not close it any more; of a program something may be left.
  await transport.close().catch(() => undefined);
}

export function lastWords({ transport }: Connection): string {
  const words = (transport as Partial<ProcessTransport>).lastWords?.() ?? '';
  return words === '' ? '' : ` (${words})`;
}

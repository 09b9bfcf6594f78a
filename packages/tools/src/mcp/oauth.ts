/**
 * Logins at MCP servers with OAuth 2.1 (MCP 2025-06-18, authorization). For the client library, this stores its data in a
 * file, shows the URL to the user, and receives the browser's redirect on the loopback.
 */

import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { McpAuth } from '@longhand/sdk/internal';
import { makeFolder, userFolder } from '@longhand/sdk/internal';
import { defined } from '@longhand/sdk/value';
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';

export interface Login {
  readonly provider: OAuthClientProvider;
  /** The authorization code from the browser. Rejects if nobody logs in in time, or if no login was requested. */
  answer(): Promise<URLSearchParams>;
  /** Stops listening; stored data is kept. */
  close(): void;
}

export interface LoginOptions {
  readonly server: string;
  readonly url: string;
  readonly auth: Extract<McpAuth, { strategy: 'oauth2' }>;
  readonly limitMs: number;
  /** Receives the message with the URL for logging in. */
  readonly onWarning: (text: string) => void;
}

interface Authentication {
  readonly client_auth_method?: string;
  readonly scopes?: readonly string[] | string;
  readonly client_name?: string;
  readonly client_metadata_url?: string;
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly additional_client_metadata?: object;
}

export async function openLogin({ server, url, auth, limitMs, onWarning }: LoginOptions): Promise<Login> {
  const said: Authentication = auth.authentication ?? {};
  const file = tokenFile(url, (auth.state ?? {}) as Partial<StoredLogin>);
  const { redirect_port: known } = file.read();
  const listener = await listenForRedirect(known);
  // A client is registered with its redirect URL.
  if (known !== undefined && known !== listener.port) file.update({ client_info: undefined });
  const state = randomUUID();
  let verifier = '';
  let discovered: OAuthDiscoveryState | undefined;
  let answer: Promise<URLSearchParams> | undefined;
  let closed = false;
  const metadata = clientMetadata(said, listener.url);
  const provider: OAuthClientProvider = {
    redirectUrl: listener.url,
    clientMetadata: metadata,
    ...defined({ clientMetadataUrl: said.client_metadata_url }),
    state: () => state,
    clientInformation: () =>
      said.client_id === undefined
        ? file.read().client_info
        : {
            client_id: said.client_id,
            ...defined({ client_secret: said.client_secret }),
          },
    saveClientInformation: (client_info) => file.update({ client_info, redirect_port: listener.port }),
    tokens: () => file.read().tokens,
    saveTokens: (tokens) => file.update({ tokens }),
    saveCodeVerifier: (code) => {
      verifier = code;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState: (found) => {
      discovered = found;
    },
    discoveryState: () => discovered,
    invalidateCredentials: (scope) => {
      if (scope === 'all' || scope === 'tokens') file.update({ tokens: undefined });
      if (scope === 'all' || scope === 'client') file.update({ client_info: undefined });
    },
    redirectToAuthorization: (address) => {
      if (closed) return;
      if (!/^https?:$/.test(address.protocol))
        throw new Error(`its login URL has the protocol ${address.protocol}, not http: or https:`);
      onWarning(
        `the MCP server "${server}" requires a login: open ${address.href} in a browser on this machine within ${limitMs / 1_000} s. If the browser runs on another machine, copy the address to which it is redirected, which starts with ${listener.url}, and run here: curl 'ADDRESS'`,
      );
      answer = listener.callback(state, limitMs);
      answer.catch(() => undefined); // handled by whoever awaits it
    },
  };
  return {
    provider,
    answer: async () => {
      if (answer === undefined) throw new Error('the login has expired');
      return await answer;
    },
    close: () => {
      closed = true;
      listener.close();
    },
  };
}

function clientMetadata(said: Authentication, redirectUrl: string): OAuthClientMetadata {
  const { scopes } = said;
  const scope = typeof scopes === 'string' ? scopes : scopes?.join(' ');
  return {
    client_name: said.client_name ?? 'Longhand',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method:
      said.client_auth_method ?? (said.client_secret === undefined ? 'none' : 'client_secret_basic'),
    ...defined({ scope }),
    ...said.additional_client_metadata,
  };
}

/** The stored data of a login, readable only by its owner: `~/.longhand/mcp-auth/<hash of the URL>.json`. */
interface StoredLogin {
  readonly server_url: string;
  readonly client_info?: StoredOAuthClientInformation;
  readonly tokens?: StoredOAuthTokens;
  /** The port of the redirect URL that the client is registered with. */
  readonly redirect_port?: number;
}

interface TokenFile {
  read(): StoredLogin;
  /** Keys that are undefined are removed. */
  update(change: Partial<{ readonly [K in keyof StoredLogin]: StoredLogin[K] | undefined }>): void;
}

function tokenFile(url: string, initial: Partial<StoredLogin>): TokenFile {
  const directory = join(userFolder('data'), 'mcp-auth');
  const path = join(directory, `${createHash('sha256').update(url).digest('hex').slice(0, 32)}.json`);
  const read = (): StoredLogin => {
    try {
      return JSON.parse(readFileSync(path, 'utf8')) as StoredLogin;
    } catch {
      return { ...initial, server_url: url }; // no readable file: the login starts from the beginning
    }
  };
  return {
    read,
    update: (change) => {
      makeFolder(directory, 0o700);
      const temporary = `${path}.${randomUUID().slice(0, 8)}`;
      writeFileSync(temporary, JSON.stringify({ ...read(), ...change }), { mode: 0o600, flag: 'wx' });
      renameSync(temporary, path);
    },
  };
}

interface RedirectListener {
  readonly port: number;
  readonly url: string;
  /** The authorization code for this login. Rejects when the time is up. */
  callback(state: string, limitMs: number): Promise<URLSearchParams>;
  close(): void;
}

const PATH = '/callback';

/** Listens on the loopback for the redirect of a login; on `port` if it is free. */
async function listenForRedirect(port: number | undefined): Promise<RedirectListener> {
  let take: (params: URLSearchParams) => boolean = () => false;
  const server = createServer((request, response) => {
    const asked = URL.parse(request.url ?? '/', 'http://127.0.0.1');
    const taken = asked?.pathname === PATH && take(asked.searchParams);
    response.writeHead(taken ? 200 : 404, { 'content-type': 'text/plain', connection: 'close' });
    response.end(
      taken ? 'Done. You can close this page and go back to longhand.\n' : 'No login is in progress.\n',
    );
  });
  server.unref();
  await listening(server, port ?? 0).catch(() => listening(server, 0)); // another program may use it now
  const bound = (server.address() as AddressInfo).port;
  return {
    port: bound,
    url: `http://127.0.0.1:${bound}${PATH}`,
    callback: async (state, limitMs) => {
      const { promise, resolve, reject } = Promise.withResolvers<URLSearchParams>();
      take = (params) => {
        if (params.get('state') !== state) return false;
        resolve(params);
        return true;
      };
      const timer = setTimeout(
        () => reject(new Error(`nobody logged in within ${limitMs / 1_000} s`)),
        limitMs,
      );
      return await promise.finally(() => clearTimeout(timer));
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function listening(server: Server, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(port, '127.0.0.1', () => {
    server.off('error', reject);
    resolve();
  });
  await promise;
}

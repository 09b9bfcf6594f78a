/** MCP over HTTP: streamable, or the older server-sent events. */
import type { McpAuth, McpServer } from '@longhand/sdk/internal';
import { defined } from '@longhand/sdk/value';
import type { OAuthClientProvider, Transport } from '@modelcontextprotocol/client';

/** Both transports have it, to complete a login. */
export interface RemoteTransport extends Transport {
  finishAuth(callback: URLSearchParams): Promise<void>;
  terminateSession?(): Promise<void>;
}

export type RemoteKind = 'http' | 'sse';

export async function remoteTransport(
  { url = '', headers, auth }: McpServer,
  kind: RemoteKind,
  provider: OAuthClientProvider | undefined,
): Promise<RemoteTransport> {
  const { SSEClientTransport, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const options = {
    requestInit: { headers: { ...headers, ...authHeaders(auth) } },
    ...defined({ authProvider: provider }),
  };
  const address = new URL(url);
  return kind === 'sse'
    ? new SSEClientTransport(address, options)
    : answering(new StreamableHTTPClientTransport(address, options));
}

function authHeaders(auth: McpAuth = { strategy: 'none' }): { readonly [name: string]: string } {
  switch (auth.strategy) {
    case 'api_key':
      return auth.header_name === undefined
        ? { Authorization: `Bearer ${auth.value}` }
        : { [auth.header_name]: auth.value };
    case 'bearer':
      return { Authorization: `Bearer ${auth.value}` };
    case 'basic':
      return {
        Authorization: `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}`,
      };
    case 'header':
      return auth.headers;
    case 'none':
    case 'oauth2':
      return {};
  }
}

/** The code of the error for a response that never came, from JSON-RPC's range for implementations. */
export const STREAM_ENDED = -32_000;

/** A stream that ends without a response gets an error response; the client would wait until the time limit. */
function answering(transport: RemoteTransport): RemoteTransport {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (!('id' in message) || !('method' in message)) return send(message, options);
    const { id } = message;
    return send(message, {
      ...options,
      onRequestStreamEnd: () => {
        // If the response has arrived before, this one is ignored.
        setImmediate(() =>
          transport.onmessage?.({
            jsonrpc: '2.0',
            id,
            error: { code: STREAM_ENDED, message: 'the connection ended before the response' },
          }),
        );
      },
    });
  };
  return transport;
}

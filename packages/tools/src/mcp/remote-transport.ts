/** MCP over HTTP: streamable, or the older way by server-sent events. */
import type { McpAuth, McpServer } from '@longhand/sdk/internal';
import { defined } from '@longhand/sdk/value';
import type { OAuthClientProvider, Transport } from '@modelcontextprotocol/client';

/** Both have it, for the end of a login. */
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

/** What stands in an answer that never came; JSON-RPC's range for a server's own codes. */
export const STREAM_ENDED = -32_000;

/** A stream that ends without the answer is answered with an error; the client would wait for its time to run out. */
function answering(transport: RemoteTransport): RemoteTransport {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (!('id' in message) || !('method' in message)) return send(message, options);
    const { id } = message;
    return send(message, {
      ...options,
      onRequestStreamEnd: () => {
        // An answer that came before the end has been taken by then; another one is ignored.
        setImmediate(() =>
          transport.onmessage?.({
            jsonrpc: '2.0',
            id,
            error: { code: STREAM_ENDED, message: 'the connection ended before there was an answer' },
          }),
        );
      },
    });
  };
  return transport;
}

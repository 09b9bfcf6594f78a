/** For tests: an MCP server on the loopback over streamable HTTP, with what a test wants to do to it. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { oddServer } from './mcp-odd-tools.ts';

export interface HttpMcp {
  readonly url: string;
  /** Of all requests to the server. */
  readonly headers: IncomingMessage['headers'][];
  /** Sessions that were begun. */
  readonly sessions: () => number;
  /** As after a restart: nobody knows the sessions any more. */
  forget(): void;
  close(): Promise<void>;
}

/** `first` may answer a request itself; then it returns true. */
export async function startHttpMcp(
  first: (
    request: IncomingMessage,
    response: ServerResponse,
    url: string,
  ) => boolean | Promise<boolean> = () => false,
): Promise<HttpMcp> {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const headers: IncomingMessage['headers'][] = [];
  let begun = 0;
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (await first(request, response, origin)) return;
    headers.push(request.headers);
    const id = request.headers['mcp-session-id'];
    let transport = typeof id === 'string' ? sessions.get(id) : undefined;
    if (typeof id === 'string' && transport === undefined) {
      response.writeHead(404).end();
      return;
    }
    if (transport === undefined) {
      const made = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: (sessionId) => {
          begun += 1;
          sessions.set(sessionId, made);
        },
      });
      await oddServer(() => server.closeAllConnections()).server.connect(made);
      transport = made;
    }
    const answer = await transport.handleRequest(webRequest(request, origin));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body === null) response.end();
    else await pipeline(Readable.fromWeb(answer.body as never), response);
  }

  return {
    url: `${origin}/mcp`,
    headers,
    sessions: () => begun,
    forget: () => sessions.clear(),
    close: async () => {
      for (const transport of sessions.values()) await transport.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function webRequest(request: IncomingMessage, origin: string): Request {
  const { method = 'GET', url = '/', headers } = request;
  const hasBody = method === 'POST';
  return new Request(new URL(url, origin), {
    method,
    headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
    ...(hasBody ? { body: Readable.toWeb(request) as never, duplex: 'half' } : {}),
  });
}

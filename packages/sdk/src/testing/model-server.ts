/**
 * A model endpoint on the loopback for tests: OpenAI chat completions (`/v1/chat/completions`), OpenAI Responses
 * (`/v1/responses`), Anthropic Messages (`/v1/messages`), Gemini (`/v1/models/...`) and Bedrock (`/model/...`), each streamed
 * or not, as requested. It can misbehave on demand.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { anthropic } from './formats/anthropic.ts';
import { bedrock } from './formats/bedrock.ts';
import { chat } from './formats/chat.ts';
import type { Format, Reply } from './formats/format.ts';
import { gemini } from './formats/gemini.ts';
import { responses } from './formats/responses.ts';

export type { Reply } from './formats/format.ts';

/** A request that the server received. */
export interface RecordedRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** As received. */
  readonly text: string;
  readonly body: { readonly [key: string]: unknown };
  /** Milliseconds since the server was started. */
  readonly receivedAtMs: number;
}

/** A model server on the loopback, and what it was asked. */
export interface ModelServer {
  /** `http://127.0.0.1:<port>`; the API is under `/v1`. */
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  close(): Promise<void>;
}

/** The text of a chat message, whether its content is one text or a list. */
export function contentText(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : '';
  return content
    .flatMap((block: { text?: unknown }) => (typeof block.text === 'string' ? [block.text] : []))
    .join('\n');
}

/** Decides what the server answers to a request. */
export type Respond = (request: RecordedRequest, index: number) => Reply | Promise<Reply>;

/** Starts a model server on the loopback that answers as `respond` decides. */
export async function startModelServer(respond: Respond, port = 0): Promise<ModelServer> {
  const beganAt = performance.now();
  const requests: RecordedRequest[] = [];
  const stop = new AbortController();
  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500);
      response.end(String(error));
    });
  });

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const source = Buffer.concat(chunks).toString('utf8');
    const request: RecordedRequest = {
      path: incoming.url ?? '',
      headers: incoming.headers,
      text: source,
      body: source === '' ? {} : JSON.parse(source),
      receivedAtMs: performance.now() - beganAt,
    };
    if (incoming.method === 'GET') {
      send(
        response,
        200,
        'application/json',
        JSON.stringify({ object: 'list', data: [{ id: 'test-model' }] }),
      );
      return;
    }
    requests.push(request);
    const index = requests.length - 1;
    const reply = await respond(request, index);
    if (reply.delayMs !== undefined) await sleep(reply.delayMs, undefined, { signal: stop.signal });
    if (reply.hang !== true) answer(request, index, reply, response);
  }

  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        stop.abort();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(request: RecordedRequest, index: number, reply: Reply, response: ServerResponse): void {
  if (reply.raw !== undefined) {
    response.writeHead(reply.raw.status ?? 200, {
      'content-type': reply.raw.contentType ?? 'application/json',
    });
    response.write(reply.raw.body, () => (reply.raw?.cut === true ? response.destroy() : response.end()));
    return;
  }
  if (reply.error !== undefined) {
    const { status, message, headers } = reply.error;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ type: 'error', error: { type: 'error', message } }));
    return;
  }
  const path = request.path.replace(/\?.*$/, '');
  const format = FORMATS.find((each) => each.path.test(path));
  if (format === undefined) {
    send(
      response,
      404,
      'application/json',
      JSON.stringify({ error: { message: `there is no ${request.path}` } }),
    );
  } else if (request.body['stream'] === true || format.isStream?.(path) === true) {
    send(response, 200, format.streamType ?? 'text/event-stream', format.stream(reply, index));
  } else {
    send(response, 200, 'application/json', JSON.stringify(format.whole(reply, index)));
  }
}

function send(response: ServerResponse, status: number, contentType: string, body: string | Buffer): void {
  response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

const FORMATS: readonly Format[] = [chat, responses, anthropic, gemini, bedrock];

/**
 * `fetch` for requests to models, on `node:http`. The global `fetch` loads an HTTP client of its own, which takes 30 ms of
 * CPU at the first request. This one does what provider packages use: text or bytes as the body, connections that are kept
 * open, abort signals, a response that is read as a whole or as a stream, and the errors of the global one ("fetch failed"
 * and "terminated", with a cause). Redirects and other bodies go to the global one.
 */
import type { IncomingMessage, RequestOptions } from 'node:http';
import { Readable } from 'node:stream';
import { defined } from '../../value/defined.ts';

/** A connection that is silent for so long is given up, as the global `fetch` does. */
const SILENCE_MS = 300_000;
const REDIRECTS: ReadonlySet<number | undefined> = new Set([301, 302, 303, 307, 308]);

type Input = Parameters<typeof fetch>[0];

export async function httpFetch(input: Input, init: RequestInit = {}): Promise<Response> {
  const { body } = init;
  const isSimple = body == null || typeof body === 'string' || body instanceof Uint8Array;
  if (input instanceof URL || typeof input === 'string') {
    const url = new URL(input);
    if (isSimple && /^https?:$/.test(url.protocol)) {
      const message = await answer(url, init, body ?? '');
      if (!REDIRECTS.has(message.statusCode)) return responseOf(message, url, init.signal ?? undefined);
      message.destroy();
    }
  }
  return await fetch(input, init);
}

async function answer(url: URL, init: RequestInit, body: string | Uint8Array): Promise<IncomingMessage> {
  const signal = init.signal ?? undefined;
  signal?.throwIfAborted();
  // An import would read every export of the module, and one of them is the global client.
  const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
  const length = { 'content-length': String(Buffer.byteLength(body)) };
  const headers = { accept: '*/*', ...recordOf(init.headers), ...length };
  const options: RequestOptions = { method: init.method ?? 'GET', headers, ...defined({ signal }) };
  const attempt = (isAgain: boolean) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(url, options, resolve);
      sent.setTimeout(SILENCE_MS, () => sent.destroy(new Error(`no byte for ${SILENCE_MS / 1_000} s`)));
      sent.once('error', (cause: NodeJS.ErrnoException) => {
        // The server closed a kept connection just when it was used. The error could be retried later anyway.
        if (sent.reusedSocket && cause.code === 'ECONNRESET' && !isAgain) resolve(attempt(true));
        else reject(signal?.aborted ? signal.reason : new TypeError('fetch failed', { cause }));
      });
      sent.end(body);
    });
  return await attempt(false);
}

function recordOf(headers: RequestInit['headers']): Record<string, string> {
  const given = headers ?? {};
  const pairs = Symbol.iterator in given ? (given as Iterable<[string, string]>) : Object.entries(given);
  return Object.fromEntries(pairs) as Record<string, string>;
}

/** What provider packages read of a `Response`. */
function responseOf(message: IncomingMessage, url: URL, signal: AbortSignal | undefined): Response {
  const status = message.statusCode ?? 0;
  const body = new Body(message, signal);
  const response = {
    url: url.href,
    status,
    statusText: message.statusMessage ?? '',
    ok: status >= 200 && status < 300,
    redirected: false,
    headers: new ResponseHeaders(message),
    body,
    text: () => body.text(),
    json: async () => JSON.parse(await body.text()) as unknown,
  };
  return response as unknown as Response;
}

class ResponseHeaders extends Map<string, string> {
  constructor({ headersDistinct }: IncomingMessage) {
    super(Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(', ')]));
  }

  override get(name: string): string | undefined {
    return super.get(name.toLowerCase());
  }
}

/** The readable half of a web stream; a real one is made only for who needs more than its bytes. */
class Body {
  readonly #message: IncomingMessage;
  readonly #signal: AbortSignal | undefined;

  constructor(message: IncomingMessage, signal: AbortSignal | undefined) {
    this.#message = message;
    this.#signal = signal;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      yield* (await decoded(this.#message)) as AsyncIterable<Buffer>;
    } catch (cause) {
      throw this.#signal?.aborted ? this.#signal.reason : new TypeError('terminated', { cause });
    }
  }

  async text(): Promise<string> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  }

  getReader() {
    const chunks = this[Symbol.asyncIterator]();
    return { read: () => chunks.next(), cancel: () => this.cancel(), releaseLock: () => undefined };
  }

  pipeThrough<T>(transform: ReadableWritablePair<T, Uint8Array>): ReadableStream<T> {
    return (Readable.toWeb(Readable.from(this)) as ReadableStream<Uint8Array>).pipeThrough(transform);
  }

  async cancel(): Promise<void> {
    if (!this.#message.complete) this.#message.destroy();
  }
}

/** No encoding is asked for, but some servers encode all the same. */
async function decoded(message: IncomingMessage): Promise<Readable> {
  const encoding = message.headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity') return message;
  const { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } = await import(
    'node:zlib'
  );
  const decoders = {
    gzip: createGunzip,
    deflate: createInflate,
    br: createBrotliDecompress,
    zstd: createZstdDecompress,
  };
  const { pipeline } = await import('node:stream');
  const decoder = decoders[encoding as keyof typeof decoders]?.();
  if (decoder === undefined) throw new TypeError(`the answer is encoded as ${encoding}`);
  return pipeline(message, decoder, () => undefined);
}

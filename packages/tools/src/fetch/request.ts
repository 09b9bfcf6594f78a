/** Requests one page: follows redirects one by one, limits what is read, and allows only http and https. */
import { ToolError } from '@longhand/sdk';

export interface Limits {
  /** For all redirects and the body together. */
  readonly timeoutMs: number;
  /** Of the decompressed body; longer ones are cut. */
  readonly maxBytes: number;
}

export interface Answer {
  /** The URL after redirects. */
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  /** Without parameters, in lower case; empty if the header is missing. */
  readonly type: string;
  readonly charset: string | undefined;
  readonly bytes: Uint8Array;
  readonly isCut: boolean;
}

const MAX_REDIRECTS = 10;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const HEADERS = {
  accept: 'text/html,application/xhtml+xml,text/markdown;q=0.9,text/plain;q=0.9,*/*;q=0.5',
  'user-agent': 'Mozilla/5.0 (compatible; Longhand)',
};

/** Throws ToolError if the page cannot be fetched, and the signal's reason if it is aborted. */
export async function request(address: string, limits: Limits, signal: AbortSignal): Promise<Answer> {
  const timeUp = AbortSignal.timeout(limits.timeoutMs);
  try {
    return await follow(webUrl(address), limits, AbortSignal.any([signal, timeUp]));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ToolError) throw error;
    const why = timeUp.aborted ? `no answer within ${limits.timeoutMs / 1_000} s` : reasonOf(error);
    throw new ToolError(`${address} could not be fetched: ${why}.`);
  }
}

function webUrl(address: string, base?: URL): URL {
  const url = URL.parse(address, base?.href);
  if (url === null)
    throw new ToolError(`"${address}" is not a URL. Pass an absolute URL such as https://example.org/.`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    const from = base === undefined ? '' : `${base.href} redirects to it, but `;
    throw new ToolError(
      `${from}${url.protocol} URLs cannot be fetched, only http: and https:. Read files with the file tools.`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new ToolError('The URL contains a user name or a password. Pass the URL without them.');
  }
  return url;
}

async function follow(from: URL, limits: Limits, signal: AbortSignal): Promise<Answer> {
  let url = from;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const response = await fetch(url, { headers: HEADERS, redirect: 'manual', signal });
    const location = response.headers.get('location');
    if (!REDIRECTS.has(response.status) || location === null) return await answerOf(url, response, limits);
    await response.body?.cancel();
    url = webUrl(location, url);
  }
  throw new ToolError(`${from.href} was redirected more than ${MAX_REDIRECTS} times.`);
}

async function answerOf(url: URL, response: Response, { maxBytes }: Limits): Promise<Answer> {
  const [type = '', ...parameters] = (response.headers.get('content-type') ?? '').split(';');
  const charset = parameters.map((each) => /^\s*charset\s*=\s*"?([^"\s]+)/i.exec(each)?.[1]).find(Boolean);
  return {
    url: url.href,
    status: response.status,
    statusText: response.statusText,
    type: type.trim().toLowerCase(),
    charset,
    ...(await readBody(response, maxBytes)),
  };
}

async function readBody(response: Response, maxBytes: number): Promise<Pick<Answer, 'bytes' | 'isCut'>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    length += chunk.length;
    // Leaving the loop drops the connection.
    if (length > maxBytes) return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isCut: true };
  }
  return { bytes: Buffer.concat(chunks), isCut: false };
}

/** The cause of "fetch failed". */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return reasonOf(error.cause);
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error.message;
}

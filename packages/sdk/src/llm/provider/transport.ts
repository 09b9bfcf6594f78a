/**
 * The layer between a provider package and the network. It inserts the messages that were serialised here, and lets callers observe
 * what goes over the wire.
 *
 * A provider package converts and serialises the whole history for every call. For OpenAI's two formats it receives an empty history, and
 * the text of the messages, made once each, is inserted into the request on its way out. So the cost of a step does not grow with the
 * history, and earlier messages are repeated byte for byte.
 */

import { defined } from '../../value/defined.ts';
import type { Exchange } from '../llm.ts';
import { httpFetch } from './http-fetch.ts';

export interface Call {
  /** The list of the body that the messages belong in; the package left it empty. */
  readonly place?: 'messages' | 'input' | undefined;
  /** Each message as JSON. */
  readonly messages?: readonly Buffer[] | undefined;
  readonly observe?: ((exchange: Omit<Exchange, 'prompt'>) => void) | undefined;
}

const COMMA = Buffer.from(',');

export class Transport {
  /** By the call's signal, the only object of ours that reaches `fetch`. */
  readonly #calls = new WeakMap<AbortSignal, Call>();

  /** Call it before the request with this signal. */
  expect(signal: AbortSignal, call: Call): void {
    this.#calls.set(signal, call);
  }

  readonly fetch: typeof fetch = async (input, init) => {
    const call = init?.signal == null ? undefined : this.#calls.get(init.signal);
    if (call === undefined) return await httpFetch(input, init);
    const body = filled(init?.body, call);
    const request = { ...init, ...defined({ body }) };
    return call.observe === undefined
      ? await httpFetch(input, request)
      : await observed(input, request, call.observe);
  };
}

/** Bytes, not text: text would be copied three times before it is sent. */
function filled(body: RequestInit['body'], { place, messages }: Call): RequestInit['body'] {
  if (place === undefined || messages === undefined || typeof body !== 'string') return body;
  const hole = `"${place}":[]`;
  const at = body.indexOf(hole) + hole.length - 1;
  const parts = messages.flatMap((message, i) => (i === 0 ? [message] : [COMMA, message]));
  return Buffer.concat([Buffer.from(body.slice(0, at)), ...parts, Buffer.from(body.slice(at))]);
}

async function observed(
  input: Parameters<typeof fetch>[0],
  init: RequestInit,
  observe: NonNullable<Call['observe']>,
): Promise<Response> {
  const url = input instanceof Request ? input.url : String(input);
  const requestBody = init.body == null ? '' : Buffer.from(init.body as Uint8Array | string).toString();
  try {
    const response = await fetch(input, init);
    observe({ url, requestBody, status: response.status, responseBody: textOf(response.clone()) });
    return response;
  } catch (error) {
    observe({ url, requestBody, status: undefined, responseBody: Promise.resolve('') });
    throw error;
  }
}

async function textOf(response: Response): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
  } catch {
    // the connection broke: return what arrived
  }
  return text + decoder.decode();
}

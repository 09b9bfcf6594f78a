/**
 * The messages of a chat request as JSON text, made once for each message. A provider package converts and serialises the
 * whole history at every call; here it is given none of it, and the text is put into its request on the way out. So the
 * cost of a step does not grow with the history, and what was sent is sent again to the byte.
 *
 * Only for endpoints whose messages do not depend on each other, which is so for OpenAI's chat format.
 */
import type { LanguageModelV4CallOptions, LanguageModelV4Message } from '@ai-sdk/provider';
import type { Message } from '../event/message.ts';

/** What the package for compatible endpoints offers besides calls: the request that it would send. */
interface RequestPreparer {
  prepareRequest(options: LanguageModelV4CallOptions): Promise<{ readonly body: unknown }>;
}

const PLACE = '"messages":[]';
const COMMA = Buffer.from(',');

export class WireMessages {
  readonly #texts = new WeakMap<Message, Buffer>();
  /** By the signal of the call, the one thing of ours that reaches `fetch`. */
  readonly #calls = new WeakMap<AbortSignal, readonly Buffer[]>();

  /** Puts the messages of the call with this signal in the place that was left for them. */
  readonly fetch: typeof fetch = (input, init) => {
    const messages = init?.signal == null ? undefined : this.#calls.get(init.signal);
    if (messages === undefined || typeof init?.body !== 'string') return fetch(input, init);
    const at = init.body.indexOf(PLACE) + PLACE.length - 1;
    // Bytes, not text: a text of this size would be copied three times over before it is sent.
    const body = Buffer.concat([
      Buffer.from(init.body.slice(0, at)),
      ...messages,
      Buffer.from(init.body.slice(at)),
    ]);
    return fetch(input, { ...init, body });
  };

  /** To be called before the request with this signal, which is then made with an empty prompt. */
  async provide(
    messages: readonly Message[],
    convert: (message: Message) => readonly LanguageModelV4Message[],
    model: RequestPreparer,
    signal: AbortSignal,
  ): Promise<void> {
    const texts: Buffer[] = [];
    for (const message of messages) {
      let text = this.#texts.get(message);
      if (text === undefined) {
        const { body } = await model.prepareRequest({ prompt: [...convert(message)] });
        text = Buffer.from(JSON.stringify((body as { messages: unknown }).messages).slice(1, -1));
        this.#texts.set(message, text);
      }
      if (texts.length > 0) texts.push(COMMA);
      texts.push(text);
    }
    this.#calls.set(signal, texts);
  }
}

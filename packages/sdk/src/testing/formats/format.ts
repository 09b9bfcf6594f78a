/** What a test wants to be answered, and how a protocol says it. */
export interface Reply {
  readonly text?: string;
  readonly reasoning?: string;
  /** Chat: the reasoning is signed, and handed on in the manner of LiteLLM or of OpenRouter. */
  readonly signedBy?: 'litellm' | 'openrouter';
  readonly toolCalls?: readonly {
    readonly id?: string;
    readonly name: string;
    readonly arguments: object | string;
  }[];
  readonly usage?: { readonly input: number; readonly output: number; readonly cached?: number };
  readonly delayMs?: number;
  /** Another status than 200, with a body in the manner of the providers. */
  readonly error?: {
    readonly status: number;
    readonly message: string;
    readonly headers?: { readonly [name: string]: string };
  };
  /** Instead of all that: these bytes as the body, then the end, or a cut connection. */
  readonly raw?: { readonly body: string; readonly contentType?: string; readonly cut?: boolean };
  /** Never answer. */
  readonly hang?: boolean;
}

export interface Format {
  /** Of the address, without the query. */
  readonly path: RegExp;
  whole(reply: Reply, index: number): object;
  stream(reply: Reply, index: number): string | Buffer;
  /** Told by the request, unless by the address. */
  readonly isStream?: (path: string) => boolean;
  readonly streamType?: string;
}

export function callsOf(reply: Reply, index: number) {
  return (reply.toolCalls ?? []).map((call, i) => ({
    id: call.id ?? `call_${index}_${i}`,
    name: call.name,
    arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
  }));
}

export function usageOf({ usage = { input: 100, output: 10 } }: Reply) {
  return { input: usage.input, output: usage.output, cached: usage.cached ?? 0 };
}

/** Cut in two, so that whoever reads it has to put it together. */
export function halves(words: string): string[] {
  const middle = Math.ceil(words.length / 2);
  return [words.slice(0, middle), words.slice(middle)].filter((half) => half !== '');
}

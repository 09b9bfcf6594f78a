/** The answers that a test can ask for, and how each protocol expresses them. */
export interface Reply {
  readonly text?: string;
  readonly reasoning?: string;
  /** Chat: the reasoning is signed, and passed on in LiteLLM's or OpenRouter's form. */
  readonly signedBy?: 'litellm' | 'openrouter';
  readonly toolCalls?: readonly {
    readonly id?: string;
    readonly name: string;
    readonly arguments: object | string;
  }[];
  readonly usage?: { readonly input: number; readonly output: number; readonly cached?: number };
  readonly delayMs?: number;
  /** A status other than 200, with a body like the providers'. */
  readonly error?: {
    readonly status: number;
    readonly message: string;
    readonly headers?: { readonly [name: string]: string };
  };
  /** Instead of all of the above: these bytes as the body, then the end, or a broken connection. */
  readonly raw?: {
    readonly body: string;
    /** Default: 200. */
    readonly status?: number;
    readonly contentType?: string;
    readonly cut?: boolean;
  };
  /** Never answer. */
  readonly hang?: boolean;
}

export interface Format {
  /** The path of the address, without the query. */
  readonly path: RegExp;
  whole(reply: Reply, index: number): object;
  stream(reply: Reply, index: number): string | Buffer;
  /** Whether to stream; default: as the request's body says. */
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

/** Cut in two, so that the reader has to join the halves. */
export function halves(words: string): string[] {
  const middle = Math.ceil(words.length / 2);
  return [words.slice(0, middle), words.slice(middle)].filter((half) => half !== '');
}

/**
 * A model endpoint on the loopback for tests: OpenAI chat completions (`/v1/chat/completions`), OpenAI Responses
 * (`/v1/responses`) and Anthropic Messages (`/v1/messages`), each streamed or not, as the request asks for. It can
 * misbehave on demand.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface RecordedRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** As it came. */
  readonly text: string;
  readonly body: { readonly [key: string]: unknown };
  /** Milliseconds since the server was started. */
  readonly receivedAtMs: number;
}

export interface Reply {
  readonly text?: string;
  readonly reasoning?: string;
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

export interface ModelServer {
  /** `http://127.0.0.1:<port>`; the API lies under `/v1`. */
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  close(): Promise<void>;
}

/** The words of a chat message, whether its content came as one text or as a list. */
export function contentText(content: unknown): string {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : '';
  return content
    .flatMap((block: { text?: unknown }) => (typeof block.text === 'string' ? [block.text] : []))
    .join('\n');
}

export type Respond = (request: RecordedRequest, index: number) => Reply | Promise<Reply>;

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
    response.writeHead(200, { 'content-type': reply.raw.contentType ?? 'application/json' });
    response.write(reply.raw.body, () => (reply.raw?.cut === true ? response.destroy() : response.end()));
    return;
  }
  if (reply.error !== undefined) {
    const { status, message, headers } = reply.error;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ type: 'error', error: { type: 'error', message } }));
    return;
  }
  const format = FORMATS.find(({ path }) => request.path.endsWith(path));
  if (format === undefined) {
    send(
      response,
      404,
      'application/json',
      JSON.stringify({ error: { message: `there is no ${request.path}` } }),
    );
  } else if (request.body['stream'] === true) {
    send(response, 200, 'text/event-stream', format.stream(reply, index));
  } else {
    send(response, 200, 'application/json', JSON.stringify(format.whole(reply, index)));
  }
}

function send(response: ServerResponse, status: number, contentType: string, body: string): void {
  response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

interface Format {
  readonly path: string;
  whole(reply: Reply, index: number): object;
  stream(reply: Reply, index: number): string;
}

function callsOf(reply: Reply, index: number) {
  return (reply.toolCalls ?? []).map((call, i) => ({
    id: call.id ?? `call_${index}_${i}`,
    name: call.name,
    arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
  }));
}

function usageOf({ usage = { input: 100, output: 10 } }: Reply) {
  return { input: usage.input, output: usage.output, cached: usage.cached ?? 0 };
}

/** Cut in two, so that whoever reads it has to put it together. */
function halves(words: string): string[] {
  const middle = Math.ceil(words.length / 2);
  return [words.slice(0, middle), words.slice(middle)].filter((half) => half !== '');
}

const chat: Format = {
  path: '/chat/completions',
  whole: (reply, index) => {
    const calls = callsOf(reply, index).map(chatCall);
    const message = {
      role: 'assistant',
      content: reply.text ?? null,
      ...(reply.reasoning === undefined ? {} : { reasoning_content: reply.reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
    return {
      id: `chatcmpl-${index}`,
      object: 'chat.completion',
      created: 1,
      model: 'test-model',
      choices: [{ index: 0, message, finish_reason: calls.length === 0 ? 'stop' : 'tool_calls' }],
      usage: chatUsage(reply),
    };
  },
  stream: (reply, index) => {
    const chunk = (delta: object, finish: string | null = null, usage?: object) =>
      `data: ${JSON.stringify({ id: `chatcmpl-${index}`, object: 'chat.completion.chunk', created: 1, model: 'test-model', choices: [{ index: 0, delta, finish_reason: finish }], ...(usage === undefined ? {} : { usage }) })}\n\n`;
    const calls = callsOf(reply, index).map(chatCall);
    return [
      chunk({ role: 'assistant' }),
      ...halves(reply.reasoning ?? '').map((half) => chunk({ reasoning_content: half })),
      ...halves(reply.text ?? '').map((half) => chunk({ content: half })),
      ...calls.flatMap((call, i) => {
        const [first = '', second = ''] = halves(call.function.arguments);
        return [
          chunk({
            tool_calls: [
              {
                index: i,
                id: call.id,
                type: 'function',
                function: { name: call.function.name, arguments: first },
              },
            ],
          }),
          chunk({ tool_calls: [{ index: i, function: { arguments: second } }] }),
        ];
      }),
      chunk({}, calls.length === 0 ? 'stop' : 'tool_calls', chatUsage(reply)),
      'data: [DONE]\n\n',
    ].join('');
  },
};

function chatCall(call: { id: string; name: string; arguments: string }) {
  return { id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments } };
}

function chatUsage(reply: Reply) {
  const { input, output, cached } = usageOf(reply);
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
}

const anthropic: Format = {
  path: '/messages',
  whole: (reply, index) => ({
    id: `msg_${index}`,
    type: 'message',
    role: 'assistant',
    model: 'test-model',
    content: anthropicBlocks(reply, index),
    stop_reason: reply.toolCalls === undefined ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: anthropicUsage(reply),
  }),
  stream: (reply, index) => {
    const event = (type: string, data: object) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
    const message = {
      id: `msg_${index}`,
      type: 'message',
      role: 'assistant',
      model: 'test-model',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: anthropicUsage(reply),
    };
    return [
      event('message_start', { message }),
      ...anthropicBlocks(reply, index).flatMap((block, i) => [
        event('content_block_start', { index: i, content_block: emptied(block) }),
        ...deltasOf(block).map((delta) => event('content_block_delta', { index: i, delta })),
        event('content_block_stop', { index: i }),
      ]),
      event('message_delta', {
        delta: { stop_reason: reply.toolCalls === undefined ? 'end_turn' : 'tool_use', stop_sequence: null },
        usage: { output_tokens: usageOf(reply).output },
      }),
      event('message_stop', {}),
    ].join('');
  },
};

type Block =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown };

function anthropicBlocks(reply: Reply, index: number): Block[] {
  return [
    ...(reply.reasoning === undefined
      ? []
      : [{ type: 'thinking' as const, thinking: reply.reasoning, signature: `signed-${index}` }]),
    ...(reply.text === undefined ? [] : [{ type: 'text' as const, text: reply.text }]),
    ...callsOf(reply, index).map((call) => ({
      type: 'tool_use' as const,
      id: call.id,
      name: call.name,
      input: JSON.parse(call.arguments),
    })),
  ];
}

function emptied(block: Block): object {
  if (block.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' };
  return block.type === 'text' ? { type: 'text', text: '' } : { ...block, input: {} };
}

function deltasOf(block: Block): object[] {
  if (block.type === 'text') return halves(block.text).map((half) => ({ type: 'text_delta', text: half }));
  if (block.type === 'tool_use') {
    return halves(JSON.stringify(block.input)).map((half) => ({
      type: 'input_json_delta',
      partial_json: half,
    }));
  }
  return [
    ...halves(block.thinking).map((half) => ({ type: 'thinking_delta', thinking: half })),
    { type: 'signature_delta', signature: block.signature },
  ];
}

function anthropicUsage(reply: Reply) {
  const { input, output, cached } = usageOf(reply);
  return {
    input_tokens: input - cached,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: 0,
    output_tokens: output,
  };
}

const responses: Format = {
  path: '/responses',
  whole: (reply, index) => ({
    id: `resp_${index}`,
    object: 'response',
    created_at: 1,
    status: 'completed',
    error: null,
    incomplete_details: null,
    model: 'test-model',
    output: responseItems(reply, index),
    usage: responsesUsage(reply),
  }),
  stream: (reply, index) => {
    let sequence = 0;
    const event = (type: string, data: object) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...data })}\n\n`;
    const created = {
      id: `resp_${index}`,
      object: 'response',
      created_at: 1,
      status: 'in_progress',
      model: 'test-model',
      output: [],
    };
    return [
      event('response.created', { response: created }),
      ...responseItems(reply, index).flatMap((item, i) => responseItemEvents(item, i, event)),
      event('response.completed', { response: responses.whole(reply, index) }),
    ].join('');
  },
};

type Item = { readonly type: string; readonly id: string; readonly [key: string]: unknown };

function responseItems(reply: Reply, index: number): Item[] {
  return [
    ...(reply.reasoning === undefined
      ? []
      : [
          {
            type: 'reasoning',
            id: `rs_${index}`,
            summary: [{ type: 'summary_text', text: reply.reasoning }],
            encrypted_content: `sealed-${index}`,
          },
        ]),
    ...(reply.text === undefined
      ? []
      : [
          {
            type: 'message',
            id: `item_${index}`,
            status: 'completed',
            role: 'assistant',
            content: [{ type: 'output_text', text: reply.text, annotations: [] }],
          },
        ]),
    ...callsOf(reply, index).map((call, i) => ({
      type: 'function_call',
      id: `fc_${index}_${i}`,
      call_id: call.id,
      name: call.name,
      arguments: call.arguments,
      status: 'completed',
    })),
  ];
}

function responseItemEvents(item: Item, i: number, event: (type: string, data: object) => string): string[] {
  const at = { item_id: item.id, output_index: i };
  const done = event('response.output_item.done', { output_index: i, item });
  if (item.type === 'message') {
    const [{ text: words }] = item['content'] as [{ text: string }];
    return [
      event('response.output_item.added', {
        output_index: i,
        item: { ...item, status: 'in_progress', content: [] },
      }),
      ...halves(words).map((half) =>
        event('response.output_text.delta', { ...at, content_index: 0, delta: half }),
      ),
      done,
    ];
  }
  if (item.type === 'function_call') {
    return [
      event('response.output_item.added', {
        output_index: i,
        item: { ...item, arguments: '', status: 'in_progress' },
      }),
      ...halves(item['arguments'] as string).map((half) =>
        event('response.function_call_arguments.delta', { ...at, delta: half }),
      ),
      event('response.function_call_arguments.done', { ...at, arguments: item['arguments'] }),
      done,
    ];
  }
  const [{ text: words }] = item['summary'] as [{ text: string }];
  return [
    event('response.output_item.added', {
      output_index: i,
      item: { ...item, summary: [], encrypted_content: null },
    }),
    event('response.reasoning_summary_part.added', {
      ...at,
      summary_index: 0,
      part: { type: 'summary_text', text: '' },
    }),
    ...halves(words).map((half) =>
      event('response.reasoning_summary_text.delta', { ...at, summary_index: 0, delta: half }),
    ),
    event('response.reasoning_summary_part.done', {
      ...at,
      summary_index: 0,
      part: { type: 'summary_text', text: words },
    }),
    done,
  ];
}

function responsesUsage(reply: Reply) {
  const { input, output, cached } = usageOf(reply);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}

const FORMATS: readonly Format[] = [chat, responses, anthropic];

/** Endpoints that misbehave, each a real server, and what is made of it. */
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { text, textOf } from '../../event/content.ts';
import type { Message } from '../../event/message.ts';
import { type ModelServer, type Respond, startModelServer } from '../../testing/model-server.ts';
import { defined } from '../../value/defined.ts';
import { type LlmConfig, mergeLlm } from '../config/llm-config.ts';
import { createLlm } from '../create-llm.ts';
import { LLMError } from '../errors.ts';
import type { Delta, Retry } from '../llm.ts';

const FAST: Partial<LlmConfig> = {
  endpoint: { apiKey: 'secret-key' },
  retry: { minWaitMs: 1, maxWaitMs: 2 },
};
const WIRES: { readonly [name: string]: Pick<LlmConfig, 'model' | 'capabilities'> } = {
  'OpenAI-compatible chat': { model: 'compatible-model' },
  'OpenAI Responses': { model: 'openai/gpt-5', capabilities: { apiMode: 'responses' } },
  Anthropic: { model: 'anthropic/claude-sonnet-4-5' },
  Gemini: { model: 'gemini/gemini-3.8-flash' },
  Bedrock: { model: 'bedrock/anthropic.claude-sonnet-4-6' },
};
const TOOL = {
  name: 'terminal',
  description: 'runs',
  parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
};
const ASK: Message[] = [
  { role: 'system', content: [text('be brief'), text('today')] },
  { role: 'user', content: [text('list the files')] },
];

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function call(wire: Partial<LlmConfig>, respond: Respond, options: CallOptions = {}) {
  server = await startModelServer(respond);
  const config = mergeLlm(wire, FAST, { endpoint: { baseUrl: `${server.url}/v1` } }) as LlmConfig;
  const llm = await createLlm(config, { env: {} });
  return await llm.complete(
    { messages: options.messages ?? ASK, tools: [TOOL] },
    {
      signal: options.signal ?? new AbortController().signal,
      ...defined({ onDelta: options.onDelta, onRetry: options.onRetry }),
    },
  );
}

interface CallOptions {
  readonly messages?: readonly Message[];
  readonly signal?: AbortSignal;
  readonly onDelta?: (delta: Delta) => void;
  readonly onRetry?: (retry: Retry) => void;
}

for (const [name, wire] of Object.entries(WIRES)) {
  test(`${name}: a wrong key is not retried, and the error names it`, async () => {
    const error = await call(wire, () => ({ error: { status: 401, message: 'bad key secret-key' } })).catch(
      (e) => e,
    );
    assert.ok(error instanceof LLMError);
    assert.equal(error.code, 'LLMAuthenticationError');
    assert.match(error.remedy ?? '', /LLM_API_KEY/);
    assert.doesNotMatch(error.message, /secret-key/);
    assert.equal(server?.requests.length, 1);
  });

  test(`${name}: a server that is down for a while is retried`, async () => {
    const retries: Retry[] = [];
    const completion = await call(
      wire,
      (_, index) => (index < 2 ? { error: { status: 503, message: 'busy' } } : { text: 'here' }),
      { onRetry: (retry) => retries.push(retry) },
    );
    assert.equal(textOf(completion.message.content as never), 'here');
    assert.deepEqual(
      retries.map((retry) => retry.attempt),
      [1, 2],
    );
  });

  test(`${name}: a stream that breaks is retried, and half a call is never used`, async () => {
    const completion = await call(
      wire,
      (_, index) =>
        index === 0
          ? { raw: { body: 'data: {"id":"x"', contentType: 'text/event-stream', cut: true } }
          : { text: 'whole' },
      { onDelta: () => undefined },
    );
    assert.equal(textOf(completion.message.content as never), 'whole');
  });

  test(`${name}: a prompt that is too long is distinguished from a bad request`, async () => {
    const respond: Respond = () => ({
      error: { status: 400, message: 'prompt is too long: 210000 tokens > 200000 maximum' },
    });
    await assert.rejects(call(wire, respond), { code: 'LLMContextWindowExceedError' });
  });

  test(`${name}: an abort ends the request at once`, async () => {
    const abort = new AbortController();
    const respond: Respond = () => {
      abort.abort(new Error('enough'));
      return { hang: true };
    };
    await assert.rejects(call(wire, respond, { signal: abort.signal }), /enough/);
  });
}

test('Retry-After is honoured', async () => {
  const waits: number[] = [];
  await call(
    WIRES['Anthropic']!,
    (_, index) =>
      index === 0
        ? { error: { status: 429, message: 'slow down', headers: { 'retry-after-ms': '40' } } }
        : { text: 'ok' },
    { onRetry: (retry) => waits.push(retry.waitMs) },
  );
  assert.ok(waits[0]! >= 40 && waits[0]! <= 50);
});

test('an abort ends the wait for another attempt', async () => {
  const abort = new AbortController();
  const wire = { ...WIRES['Anthropic'], retry: { minWaitMs: 60_000, maxWaitMs: 60_000 } };
  const calling = call(wire, () => ({ error: { status: 500, message: 'down' } }), {
    signal: abort.signal,
    onRetry: () => abort.abort(),
  });
  await assert.rejects(calling, { name: 'AbortError' });
});

test('an answer without choices is retried, then reported', async () => {
  const error = await call({ model: 'x' }, () => ({
    raw: { body: JSON.stringify({ id: 'a', choices: [] }) },
  })).catch((e) => e);
  assert.equal(error.code, 'LLMNoResponseError');
  assert.equal(server?.requests.length, 5);
});

test('calls with the same id in one answer get ids of their own', async () => {
  const toolCalls = [1, 2].map((i) => ({ id: 'same', name: 'terminal', arguments: { command: `${i}` } }));
  const { message } = await call({ model: 'x' }, () => ({ toolCalls }));
  assert.equal(new Set(message.tool_calls!.map(({ id }) => id)).size, 2);
});

test('arguments that are not JSON are passed on as they are', async () => {
  const { message } = await call({ model: 'x' }, () => ({
    toolCalls: [{ name: 'terminal', arguments: '{"command": "ls' }],
  }));
  assert.equal(message.tool_calls![0]!.arguments, '{"command": "ls');
});

test('the error for an endpoint that is down says how often it was tried', async () => {
  const error = await call({ model: 'x' }, () => ({ error: { status: 503, message: 'busy' } })).catch(
    (e) => e,
  );
  assert.equal(error.code, 'LLMServiceUnavailableError');
  assert.match(error.message, /127\.0\.0\.1:\d+.*tried 5 times/);
});

const HOPELESS: readonly (readonly [what: string, baseUrl: string, remedy: RegExp])[] = [
  ['a port of this machine where nothing listens', 'http://127.0.0.1:9/v1', /start the model server/],
  ['a host name without an address', 'http://model.invalid/v1', /Check the host name/],
];

for (const [what, baseUrl, remedy] of HOPELESS) {
  test(`${what} is reported at once`, async () => {
    const retries: Retry[] = [];
    const llm = await createLlm({ ...FAST, model: 'x', endpoint: { baseUrl } }, { env: {} });
    const signal = new AbortController().signal;
    const error = await llm
      .complete({ messages: ASK, tools: [] }, { signal, onRetry: (retry) => retries.push(retry) })
      .catch((e) => e);
    assert.equal(error.code, 'LLMServiceUnavailableError');
    assert.match(error.remedy, remedy);
    assert.equal(retries.length, 0);
  });
}

test('an account without credit is reported at once, a rate limit is retried', async () => {
  const body = (code: string) =>
    JSON.stringify({ error: { message: 'You exceeded your current quota.', type: code, code } });
  for (const [code, requests] of [
    ['insufficient_quota', 1],
    ['rate_limit_exceeded', 5],
  ] as const) {
    const error = await call({ model: 'x' }, () => ({
      raw: { body: body(code), status: 429 },
    })).catch((e) => e);
    assert.equal(error.code, 'LLMRateLimitError');
    assert.match(error.remedy, requests === 1 ? /no credit left/ : /Wait/);
    assert.equal(server?.requests.length, requests);
    await server?.close();
  }
});

test('tokens written to the cache are counted in every form of the chat format, streamed or not', async () => {
  const forms = [
    { prompt_tokens_details: { cached_tokens: 5, cache_creation_tokens: 70 } },
    { prompt_tokens_details: { cache_write_tokens: 70 } },
    { cache_creation_input_tokens: 70 },
  ];
  for (const form of forms) {
    const usage = { prompt_tokens: 100, completion_tokens: 2, total_tokens: 102, ...form };
    const choice = { index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' };
    const whole = { id: 'a', object: 'chat.completion', created: 1, model: 'm', choices: [choice], usage };
    const last = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage };
    const streamed = sse(`${chunk({ content: 'hi' })}${chunk({}, last)}data: [DONE]\n\n`);
    const plain = await call({ model: 'x' }, () => ({ raw: { body: JSON.stringify(whole) } }));
    await server?.close();
    const pieced = await call({ model: 'x' }, () => streamed, { onDelta: () => undefined });
    await server?.close();
    assert.deepEqual(
      [plain, pieced].map(({ usage }) => usage.cacheWriteTokens),
      [70, 70],
    );
  }
});

test('the cost is computed from the user’s prices', async () => {
  const { costUsd } = await call(
    { model: 'x', prices: { inputUsdPerToken: 0.001, outputUsdPerToken: 0.01 } },
    () => ({
      text: 'hi',
      usage: { input: 100, output: 10 },
    }),
  );
  assert.equal(costUsd, 0.2);
});

test('unknown names are refused with the nearest known one', async () => {
  await assert.rejects(createLlm({ model: 'antropic/claude' }, { env: {} }), (e: LLMError) =>
    /anthropic/.test(e.remedy ?? ''),
  );
  await assert.rejects(createLlm({ model: 'mystery' }, { env: {} }), { code: 'LLMBadRequestError' });
  await assert.rejects(createLlm({ model: 'openai/gpt-5' }, { env: {} }), (e: LLMError) =>
    /OPENAI_API_KEY/.test(e.remedy ?? ''),
  );
});

test('an attempt that times out is aborted and retried', async () => {
  const wire = { model: 'x', retry: { timeoutMs: 50, attempts: 2 } };
  const error = await call(wire, () => ({ hang: true })).catch((e) => e);
  assert.equal(error.code, 'LLMTimeoutError');
  assert.match(error.message, /no answer within 0\.05 s.*tried 2 times/);
});

test('limits beyond a timer’s range do not expire at once', async () => {
  for (const limit of [{ timeoutMs: 3e9 }, { deadlineMs: 3e9 }]) {
    const { message } = await call({ model: 'x', retry: { ...limit, attempts: 1 } }, () => ({
      text: 'in time',
      delayMs: 50,
    }));
    assert.equal(textOf(message.content), 'in time');
    await server?.close();
  }
});

const chunk = (delta: object, more: object = {}) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: null }], ...more })}\n\n`;
const sse = (body: string) => ({ raw: { body, contentType: 'text/event-stream' } });

test('a stream that ends before the answer is complete is retried', async () => {
  const { message } = await call(
    { model: 'x' },
    (_, index) => (index === 0 ? sse(chunk({ content: 'half' })) : { text: 'whole' }),
    { onDelta: () => undefined },
  );
  assert.equal(textOf(message.content), 'whole');
});

test('an error in the middle of a stream keeps its meaning', async () => {
  const broken = sse(`${chunk({ content: 'half' })}data: {"error":{"message":"Overloaded","code":529}}\n\n`);
  const { message } = await call({ model: 'x' }, (_, index) => (index === 0 ? broken : { text: 'whole' }), {
    onDelta: () => undefined,
  });
  assert.equal(textOf(message.content), 'whole');
  await server?.close();
  const event =
    'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n';
  const retries: Retry[] = [];
  await call(WIRES['Anthropic']!, (_, index) => (index === 0 ? sse(event) : { text: 'whole' }), {
    onDelta: () => undefined,
    onRetry: (retry) => retries.push(retry),
  });
  assert.equal((retries[0]!.error as LLMError).code, 'LLMServiceUnavailableError');
});

test('of two choices the first is used', async () => {
  const choice = (index: number, content: string) => ({
    index,
    message: { role: 'assistant', content },
    finish_reason: 'stop',
  });
  const body = {
    id: 'a',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [choice(0, 'one'), choice(1, 'two')],
  };
  const { message } = await call({ model: 'x' }, () => ({ raw: { body: JSON.stringify(body) } }));
  assert.equal(textOf(message.content), 'one');
});

test('a web page or a stream in place of an answer is quoted once, short, with advice, and not retried', async () => {
  const pages = [
    [`<html><style>p {}</style><body>${'Welcome '.repeat(1_000)}</body></html>`, /web page/, /base URL/],
    [chunk({ content: 'hello' }), /event stream/, /without streaming/],
  ] as const;
  for (const [body, what, advice] of pages) {
    const error = await call({ model: 'x' }, () => ({ raw: { body } })).catch((e) => e);
    assert.equal(error.code, 'LLMNoResponseError');
    assert.match(error.message, what);
    assert.ok(error.message.length < 350, error.message);
    assert.match(error.remedy, advice);
    assert.equal(server?.requests.length, 1);
    await server?.close();
  }
});

test('a web page in place of a stream is not retried', async () => {
  const page = { body: '<html>Welcome</html>', contentType: 'text/html; charset=utf-8' };
  const error = await call({ model: 'x' }, () => ({ raw: page }), { onDelta: () => undefined }).catch(
    (e) => e,
  );
  assert.match(error.message, /web page, not an event stream/);
  assert.match(error.remedy, /base URL/);
  assert.equal(server?.requests.length, 1);
});

test('a base URL without /v1 is pointed out when a web page says that there is nothing', async () => {
  server = await startModelServer(() => ({ raw: { body: '<html>Not Found</html>', status: 404 } }));
  const llm = await createLlm({ ...FAST, model: 'x', endpoint: { baseUrl: server.url } }, { env: {} });
  const error = await llm
    .complete({ messages: ASK, tools: [] }, { signal: new AbortController().signal })
    .catch((e) => e);
  assert.equal(error.remedy, `Check the base URL: the API is often below /v1, as in ${server.url}/v1.`);
});

test('the web page of a proxy that is down for a while is retried', async () => {
  const page = { body: '<html>Bad gateway</html>', status: 502 };
  const { message } = await call({ model: 'x' }, (_, index) =>
    index === 0 ? { raw: page } : { text: 'here' },
  );
  assert.equal(textOf(message.content), 'here');
});

test('a model that answered nothing at temperature 0 is asked at 1', async () => {
  await call({ model: 'x', sampling: { temperature: 0 } }, (_, index) =>
    index === 0 ? { raw: { body: JSON.stringify({ id: 'a', choices: [] }) } } : { text: 'here' },
  );
  assert.deepEqual(
    server?.requests.map(({ body }) => body['temperature']),
    [0, 1],
  );
});

test('an endpoint that refuses tools gets them described in the prompt from then on', async () => {
  const notes: string[] = [];
  server = await startModelServer(({ body }) =>
    body['tools'] === undefined
      ? { text: 'ok\n\n<function=terminal>\n<parameter=command>ls</parameter>\n' }
      : { error: { status: 400, message: 'registry.ollama.ai/library/x does not support tools' } },
  );
  const llm = await createLlm(
    { ...FAST, model: 'x', endpoint: { baseUrl: `${server.url}/v1` } },
    { env: {} },
  );
  const options = { signal: new AbortController().signal, onNote: (note: string) => notes.push(note) };
  for (let i = 0; i < 2; i += 1) {
    const { message } = await llm.complete({ messages: ASK, tools: [TOOL] }, options);
    assert.equal(message.tool_calls?.[0]?.arguments, '{"command":"ls"}');
  }
  assert.equal(server.requests.length, 3);
  assert.equal(notes.length, 1);
});

/** What a person can do about it is said with the error. */
const REMEDIES: readonly (readonly [status: number, message: string, remedy: RegExp])[] = [
  [404, 'The model `gpt-99` does not exist or you do not have access to it.', /Check the model's name/],
  [404, "model 'llama9' not found, try pulling it first", /Check the model's name/],
  [
    400,
    "Invalid schema for function 'terminal': None is not of type 'array'.",
    /rejects the schema of a tool/,
  ],
  [400, 'tools.0.custom.input_schema: JSON schema is invalid', /rejects the schema of a tool/],
  [403, 'Your account is not active', /Check the key in LLM_API_KEY/],
];

for (const [status, message, remedy] of REMEDIES) {
  test(`${status} ${message}: not retried, and the error says what to do`, async () => {
    const error = await call({ model: 'x' }, () => ({ error: { status, message } })).catch((e) => e);
    assert.match(error.remedy ?? '', remedy);
    assert.equal(server?.requests.length, 1);
  });
}

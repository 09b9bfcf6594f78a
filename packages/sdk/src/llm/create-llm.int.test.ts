import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { text, textOf } from '../event/content.ts';
import type { Message } from '../event/message.ts';
import { type ModelServer, type Respond, startModelServer } from '../testing/model-server.ts';
import type { LlmConfig } from './config.ts';
import { createLlm } from './create-llm.ts';
import { LLMError } from './errors.ts';
import type { Completion, Delta, Retry } from './llm.ts';

const FAST: Partial<LlmConfig> = { apiKey: 'secret-key', retryMinWaitMs: 1, retryMaxWaitMs: 2 };
const WIRES: { readonly [name: string]: Pick<LlmConfig, 'model' | 'apiMode'> } = {
  'OpenAI-compatible chat': { model: 'compatible-model' },
  'OpenAI Responses': { model: 'openai/gpt-5', apiMode: 'responses' },
  Anthropic: { model: 'anthropic/claude-sonnet-4-5' },
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
  const config = { ...FAST, baseUrl: `${server.url}/v1`, ...wire } as LlmConfig;
  const llm = await createLlm(config, { env: {} });
  return await llm.complete(
    { messages: options.messages ?? ASK, tools: [TOOL] },
    {
      signal: options.signal ?? new AbortController().signal,
      ...(options.onDelta === undefined ? {} : { onDelta: options.onDelta }),
      ...(options.onRetry === undefined ? {} : { onRetry: options.onRetry }),
    },
  );
}

interface CallOptions {
  readonly messages?: readonly Message[];
  readonly signal?: AbortSignal;
  readonly onDelta?: (delta: Delta) => void;
  readonly onRetry?: (retry: Retry) => void;
}

function told({ message, finish, usage }: Completion) {
  return {
    words: textOf(message.content as never),
    reasoning: message.reasoning_content,
    calls: message.tool_calls?.map(({ id, name, arguments: args }) => ({ id, name, args: JSON.parse(args) })),
    finish: finish.reason,
    usage,
  };
}

const REPLY = {
  text: 'I look.',
  reasoning: 'They want a list.',
  toolCalls: [
    { id: 'a', name: 'terminal', arguments: { command: 'ls -l' } },
    { id: 'b', name: 'terminal', arguments: { command: 'pwd' } },
  ],
  usage: { input: 120, output: 20, cached: 100 },
};

for (const [name, wire] of Object.entries(WIRES)) {
  test(`${name}: an answer with text, reasoning and calls, the same streamed or not`, async () => {
    const whole = told(await call(wire, () => REPLY));
    await server?.close();
    const deltas: Delta[] = [];
    const streamed = told(await call(wire, () => REPLY, { onDelta: (delta) => deltas.push(delta) }));
    assert.deepEqual(streamed, whole);
    assert.deepEqual(whole, {
      words: 'I look.',
      reasoning: 'They want a list.',
      calls: [
        { id: 'a', name: 'terminal', args: { command: 'ls -l' } },
        { id: 'b', name: 'terminal', args: { command: 'pwd' } },
      ],
      finish: 'tool-calls',
      usage: {
        promptTokens: 120,
        completionTokens: 20,
        cacheReadTokens: 100,
        cacheWriteTokens: 0,
        reasoningTokens: 0,
      },
    });
    const said = deltas.flatMap((delta) => (delta.type === 'text' ? [delta.text] : []));
    assert.equal(said.join(''), 'I look.');
  });

  test(`${name}: the answer and its results go back so that the endpoint can pair them`, async () => {
    const first = await call(wire, () => REPLY);
    await server?.close();
    const results = first.message.tool_calls!.map(
      (each): Message => ({
        role: 'tool',
        content: [text(`result ${each.id}`)],
        tool_call_id: each.id,
        name: each.name,
      }),
    );
    await call(wire, () => ({ text: 'done' }), { messages: [...ASK, first.message, ...results] });
    const sent = server!.requests[0]!.text;
    for (const id of ['a', 'b']) {
      assert.ok(sent.includes(`"${id}"`));
      assert.ok(sent.includes(`result ${id}`));
    }
    if (name === 'Anthropic') assert.match(sent, /"signature":"signed-0"/);
    if (name === 'OpenAI Responses') assert.match(sent, /sealed-0/);
  });

  test(`${name}: a wrong key is not tried again, and says which key`, async () => {
    const error = await call(wire, () => ({ error: { status: 401, message: 'bad key secret-key' } })).catch(
      (e) => e,
    );
    assert.ok(error instanceof LLMError);
    assert.equal(error.code, 'LLMAuthenticationError');
    assert.match(error.remedy ?? '', /LLM_API_KEY/);
    assert.doesNotMatch(error.message, /secret-key/);
    assert.equal(server?.requests.length, 1);
  });

  test(`${name}: a server that is down for a while is tried again`, async () => {
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

  test(`${name}: a stream that breaks off is tried again, and half a call is never used`, async () => {
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

  test(`${name}: a prompt that is too long is told apart from a bad request`, async () => {
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
  const wire = { ...WIRES['Anthropic'], retryMinWaitMs: 60_000, retryMaxWaitMs: 60_000 };
  const calling = call(wire, () => ({ error: { status: 500, message: 'down' } }), {
    signal: abort.signal,
    onRetry: () => abort.abort(),
  });
  await assert.rejects(calling, { name: 'AbortError' });
});

test('no choices at all are tried again, then reported', async () => {
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

test('an endpoint that nobody serves says what was tried', async () => {
  const llm = await createLlm({ ...FAST, model: 'x', baseUrl: 'http://127.0.0.1:9/v1' }, { env: {} });
  const error = await llm
    .complete({ messages: ASK, tools: [] }, { signal: new AbortController().signal })
    .catch((e) => e);
  assert.equal(error.code, 'LLMServiceUnavailableError');
  assert.match(error.message, /127\.0\.0\.1:9.*tried 5 times/);
});

test('cost comes from the prices that the user gave', async () => {
  const { costUsd } = await call({ model: 'x', inputCostPerToken: 0.001, outputCostPerToken: 0.01 }, () => ({
    text: 'hi',
    usage: { input: 100, output: 10 },
  }));
  assert.equal(costUsd, 0.2);
});

test('Anthropic: the cache is marked at the static prompt and at the last message', async () => {
  await call(WIRES['Anthropic']!, () => ({ text: 'hi' }));
  const { system, messages } = server!.requests[0]!.body as {
    system: object[];
    messages: { content: object[] }[];
  };
  const mark = { cache_control: { type: 'ephemeral' } };
  assert.deepEqual(system, [
    { type: 'text', text: 'be brief', ...mark },
    { type: 'text', text: 'today' },
  ]);
  assert.deepEqual(messages.at(-1)!.content, [{ type: 'text', text: 'list the files', ...mark }]);
});

test('names that lead nowhere are refused with the nearest', async () => {
  await assert.rejects(createLlm({ model: 'antropic/claude' }, { env: {} }), (e: LLMError) =>
    /anthropic/.test(e.remedy ?? ''),
  );
  await assert.rejects(createLlm({ model: 'mystery' }, { env: {} }), { code: 'LLMBadRequestError' });
  await assert.rejects(createLlm({ model: 'openai/gpt-5' }, { env: {} }), (e: LLMError) =>
    /OPENAI_API_KEY/.test(e.remedy ?? ''),
  );
});

test('L4: a model that does not answer in time is given up, and tried again', async () => {
  const wire = { model: 'x', timeoutMs: 50, numRetries: 2 };
  const error = await call(wire, () => ({ hang: true })).catch((e) => e);
  assert.equal(error.code, 'LLMTimeoutError');
  assert.match(error.message, /no answer within 0\.05 s.*tried 2 times/);
});

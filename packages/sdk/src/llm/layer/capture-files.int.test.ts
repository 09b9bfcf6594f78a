/** What stands in the files that are captured, member by member. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Canned, cannedLlm, unaborted } from '../../../test-support/canned-llm.ts';
import { text } from '../../event/content.ts';
import type { Message } from '../../event/message.ts';
import { decideFeatures, featuresOf } from '../catalogue/features.ts';
import { resolveModel } from '../catalogue/model-name.ts';
import type { LlmConfig } from '../config/llm-config.ts';
import { LLMError } from '../errors.ts';
import type { CompleteOptions, Completion, Exchange, LLM, Prompt } from '../llm.ts';
import { withCapture } from './capture.ts';
import type { CaptureOptions } from './capture-options.ts';

const STARTED_AT = performance.now();

const CONFIG: LlmConfig = {
  model: 'groq/org/m x',
  limits: { maxOutputTokens: 9 },
  sampling: { temperature: 0, topP: 0.5 },
  endpoint: { extraBody: { more: 1 } },
};
const TOOL = { name: 't', description: 'd', parameters: { type: 'object' } };
const PROMPT: Prompt = {
  messages: [{ role: 'user', content: [text('go')], thinking_blocks: [] }],
  tools: [TOOL],
  stopSequences: ['END'],
};

/** A request as it was on the wire, in a format of its own. */
const SENT = { model: 'm', contents: ['go'], tools: ['t'], temperature: 1, more: { a: 1 } };

const exchange = (prompt: Prompt, more: Partial<Exchange> = {}): Exchange => ({
  prompt,
  url: 'http://h/v1',
  requestBody: JSON.stringify(SENT),
  status: 200,
  responseBody: Promise.resolve('{"b":2}'),
  ...more,
});

/** A call that sends these requests. */
const sending =
  (
    exchanges: readonly Exchange[],
    answer: Partial<Awaited<ReturnType<LLM['complete']>>> | Error = {},
  ): Canned =>
  async (_, { onExchange }: CompleteOptions) => {
    for (const each of exchanges) onExchange?.(each);
    if (answer instanceof Error) throw answer;
    return answer;
  };

interface Captured {
  /** Paths of the files, with their contents; model name, time and chance are X. */
  readonly files: { readonly [path: string]: unknown };
  readonly error: unknown;
  readonly notes: readonly string[];
  readonly folder: string;
}

async function capture(
  t: TestContext,
  answer: Canned,
  options: Partial<CaptureOptions>,
  more: {
    readonly llm?: Partial<LLM>;
    readonly call?: Partial<CompleteOptions>;
    readonly prompt?: Prompt;
  } = {},
): Promise<Captured> {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-capture-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const resolved = resolveModel(CONFIG.model);
  const inside = (name: string | null | undefined) => (name == null ? null : join(folder, name));
  const llm = withCapture(
    cannedLlm('m', [answer], more.llm ?? {}),
    CONFIG,
    featuresOf(decideFeatures(CONFIG, resolved)),
    {
      rawResponses: false,
      mask: (all) => all,
      ...options,
      requestsDir: inside(options.requestsDir),
      completionsDir: inside(options.completionsDir),
    },
  );
  const notes: string[] = [];
  const began = Date.now();
  let answered: Completion | undefined;
  const error = await llm
    .complete(more.prompt ?? PROMPT, { ...unaborted(), onNote: (note) => notes.push(note), ...more.call })
    .then(
      (completion) => {
        answered = completion;
      },
      (thrown) => thrown,
    );
  assert.equal(answered === undefined, error !== undefined);
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  const files = paths.map(({ parentPath, name }) => {
    const path = join(parentPath, name);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    const [, seconds] = /-(\d+\.\d{3})-/.exec(name) ?? [];
    assertBetween(began, Number(seconds) * 1_000, Date.now());
    const shown = path.slice(folder.length + 1).replace(/groq__org__m_x-\d+\.\d{3}-[0-9a-f]{4}/, 'X');
    return [shown, JSON.parse(readFileSync(path, 'utf8'))] as const;
  });
  return { files: Object.fromEntries(files), error, notes, folder };
}

function assertBetween(least: number, value: number, most: number): void {
  assert.ok(least <= value + 1 && value <= most + 1, `${value} is not between ${least} and ${most}`);
}

/** The same in OpenAI's format. */
const PAYLOAD = {
  messages: [{ role: 'user', content: [{ type: 'text', text: 'go' }] }],
  tools: [{ type: 'function', function: TOOL }],
};

test('each request is a file with what was sent; attempts are numbered if there are several', async (t) => {
  const one = await capture(t, sending([exchange(PROMPT)]), { requestsDir: 'r' });
  assert.deepEqual([one.files, one.notes], [{ 'r/X.json': SENT }, []]);
  const two = await capture(t, sending([exchange(PROMPT), exchange(PROMPT)]), { requestsDir: 'r/deep' });
  assert.deepEqual(two.files, { 'r/deep/X-1.json': SENT, 'r/deep/X-2.json': SENT });
});

test('a raw exchange has JSON as JSON, all else as text, and no status if there was no answer', async (t) => {
  const { files } = await capture(
    t,
    sending([
      exchange(PROMPT),
      exchange(PROMPT, {
        requestBody: 'no JSON',
        status: undefined,
        responseBody: Promise.resolve('data: {}'),
      }),
    ]),
    { requestsDir: 'r', rawResponses: true },
  );
  assert.deepEqual(files['r/X-1.raw.json'], {
    url: 'http://h/v1',
    request: SENT,
    status: 200,
    response: { b: 2 },
  });
  assert.deepEqual(files['r/X-2.raw.json'], { url: 'http://h/v1', request: 'no JSON', response: 'data: {}' });
  assert.deepEqual(files['r/X-2.json'], 'no JSON');
});

const { model: _model, contents: _contents, tools: _tools, ...KWARGS } = SENT;
const NOW = 'about now';

/** A log with what no two calls have in common checked and replaced. */
function untimed(log: unknown): object {
  const { timestamp, latency_sec, ...rest } = log as { timestamp: number; latency_sec: number };
  assertBetween(Date.now() - 60_000, timestamp * 1_000, Date.now());
  assertBetween(0, latency_sec * 1_000, performance.now() - STARTED_AT);
  return { ...rest, timestamp: NOW, latency_sec: NOW };
}

test('a completion log has request, answer, usage and cost', async (t) => {
  const answer = {
    costUsd: 0.5,
    model: 'other',
    finish: { reason: 'stop', raw: 'end_turn' } as const,
    usage: {
      promptTokens: 1,
      completionTokens: 2,
      cacheReadTokens: 3,
      cacheWriteTokens: 4,
      reasoningTokens: 5,
    },
  };
  const { files } = await capture(
    t,
    sending([exchange(PROMPT)], answer),
    { completionsDir: 'c' },
    { llm: { model: { name: 'm', vision: false, contextWindow: 7 } } },
  );
  assert.deepEqual(Object.keys(files), ['c/X.json']);
  assert.deepEqual(untimed(files['c/X.json']), {
    context_window: 7,
    messages: PAYLOAD.messages,
    tools: PAYLOAD.tools,
    kwargs: KWARGS,
    timestamp: NOW,
    latency_sec: NOW,
    response: {
      id: 'id',
      model: 'other',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: [{ type: 'text', text: 'm' }] },
          finish_reason: 'end_turn',
        },
      ],
    },
    cost: 0.5,
    usage_summary: {
      prompt_tokens: 1,
      completion_tokens: 2,
      reasoning_tokens: 5,
      cache_read_tokens: 3,
    },
    raw_response: { b: 2 },
  });
});

test('without a request there is no raw response, and unknown window and cost are 0', async (t) => {
  const bare: Prompt = { messages: PROMPT.messages, tools: [] };
  const { files } = await capture(t, sending([]), { completionsDir: 'c' }, { prompt: bare });
  const log = untimed(files['c/X.json']) as { [key: string]: unknown };
  assert.deepEqual(
    [log['context_window'], log['tools'], log['cost'], 'raw_response' in log, 'raw_messages' in log],
    [0, [], 0, false, false],
  );
  assert.deepEqual(log['kwargs'], {
    temperature: 0,
    top_p: 0.5,
    max_completion_tokens: 9,
    extra_body: { more: 1 },
  });
  const { choices, model } = log['response'] as { choices: { finish_reason: string }[]; model: string };
  assert.deepEqual([choices[0]?.finish_reason, model], ['stop', CONFIG.model]);
});

test('a request in which the tools are described has the messages before that, too', async (t) => {
  const described: Prompt = {
    messages: [{ ...PROMPT.messages[0]!, content: [text('described')] }],
    tools: [],
  };
  const { files } = await capture(t, sending([exchange(PROMPT), exchange(described)]), {
    completionsDir: 'c',
  });
  const log = files['c/X.json'] as { [key: string]: unknown };
  assert.deepEqual(log['raw_messages'], PAYLOAD.messages);
  assert.match(JSON.stringify(log['messages']), /described/);
});

test('the answer is logged with its calls and its reasoning, whatever the endpoint accepts', async (t) => {
  const message: Message = {
    role: 'assistant',
    content: [],
    tool_calls: [{ id: 'a', name: 't', arguments: '{}', origin: 'completion' }],
    reasoning_content: 'hm',
    thinking_blocks: [],
  };
  const { files } = await capture(t, sending([], { message }), {
    completionsDir: 'c',
  });
  const { response } = files['c/X.json'] as { response: { choices: { message: object }[] } };
  assert.deepEqual(response.choices[0]?.message, {
    role: 'assistant',
    tool_calls: [{ id: 'a', type: 'function', function: { name: 't', arguments: '{}' } }],
    reasoning_content: 'hm',
  });
});

test('a failed call is logged under a name of its own, with the error, and still fails', async (t) => {
  for (const [error, type] of [
    [new LLMError('LLMRateLimitError', 'slow "down"'), 'LLMRateLimitError'],
    [new TypeError('odd'), 'TypeError'],
  ] as const) {
    const captured = await capture(t, sending([exchange(PROMPT)], error), { completionsDir: 'c' });
    assert.equal(captured.error, error);
    assert.deepEqual(Object.keys(captured.files), ['c/X-error.json']);
    assert.deepEqual(untimed(captured.files['c/X-error.json']), {
      context_window: 0,
      messages: PAYLOAD.messages,
      tools: PAYLOAD.tools,
      kwargs: KWARGS,
      timestamp: NOW,
      latency_sec: NOW,
      cost: 0,
      error: {
        type,
        message: error.message,
        repr: `${type}(${JSON.stringify(error.message)})`,
        traceback: error.stack,
      },
    });
  }
});

test('everything that is written is masked', async (t) => {
  const { files } = await capture(t, sending([exchange(PROMPT)]), {
    requestsDir: 'r',
    completionsDir: 'c',
    rawResponses: true,
    mask: () => '"masked"',
  });
  assert.deepEqual(files, { 'r/X.json': 'masked', 'r/X.raw.json': 'masked', 'c/X.json': 'masked' });
});

test('a file that cannot be written is noted, and the answer is returned anyway', async (t) => {
  const { error, notes } = await capture(t, sending([exchange(PROMPT)]), {
    requestsDir: 'r',
    mask: () => {
      throw new Error('no room');
    },
  });
  assert.equal(error, undefined);
  assert.deepEqual(notes, ['the request could not be captured: no room']);
});

test('the caller’s onExchange receives the requests too', async (t) => {
  const heard: Exchange[] = [];
  const sent = exchange(PROMPT);
  await capture(t, sending([sent]), {}, { call: { onExchange: (each) => heard.push(each) } });
  assert.deepEqual(heard, [sent]);
});

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { cannedLlm, EMPTY, unaborted } from '../../../test-support/canned-llm.ts';
import { textOf } from '../../event/content.ts';
import { resolveModel } from '../catalogue/model-name.ts';
import type { LlmConfig } from '../config/llm-config.ts';
import { LLMError } from '../errors.ts';
import type { Completion } from '../llm.ts';
import { withTracing } from './tracing.ts';

const REGISTRY = Symbol.for('opentelemetry.js.api.1');

interface Span {
  readonly name: string;
  readonly kind: number;
  readonly attributes: { [name: string]: unknown };
  status?: { readonly code: number; readonly message?: string };
  ended: number;
}

/** The registry of @opentelemetry/api, with a tracer that keeps its spans. */
function register(): Span[] {
  const spans: Span[] = [];
  const getTracer = (tracer: string) => ({
    startSpan: (name: string, { kind, attributes }: Pick<Span, 'kind' | 'attributes'>) => {
      const span: Span = { name: `${tracer}: ${name}`, kind, attributes: { ...attributes }, ended: 0 };
      spans.push(span);
      return {
        setAttributes: (more: object) => Object.assign(span.attributes, more),
        setStatus: (status: NonNullable<Span['status']>) => {
          span.status = status;
        },
        end: () => {
          span.ended += 1;
        },
      };
    },
  });
  (globalThis as { [REGISTRY]?: object })[REGISTRY] = { trace: { getTracer } };
  return spans;
}

afterEach(() => {
  delete (globalThis as { [REGISTRY]?: object })[REGISTRY];
});

function traced(config: LlmConfig, answer: Partial<Completion> | Error) {
  return withTracing(cannedLlm('m', [answer]), config, resolveModel(config.model, config.endpoint));
}

test('a call is a span with the attributes of the GenAI conventions', async () => {
  const spans = register();
  const config: LlmConfig = {
    model: 'groq/org/x',
    endpoint: { baseUrl: 'https://h.example:8443/v1' },
    limits: { maxOutputTokens: 9 },
    sampling: { temperature: 0, topP: 0.5 },
  };
  await traced(config, { finish: { reason: 'stop', raw: 'end_turn' } }).complete(
    { ...EMPTY, cacheKey: 'c' },
    unaborted(),
  );
  assert.deepEqual(spans, [
    {
      name: 'longhand: chat org/x',
      kind: 2,
      ended: 1,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'groq',
        'gen_ai.request.model': 'org/x',
        'gen_ai.conversation.id': 'c',
        'gen_ai.request.max_tokens': 9,
        'gen_ai.request.temperature': 0,
        'gen_ai.request.top_p': 0.5,
        'server.address': 'h.example',
        'server.port': 8443,
        'gen_ai.response.id': 'id',
        'gen_ai.response.model': 'org/x',
        'gen_ai.response.finish_reasons': ['end_turn'],
        'gen_ai.usage.input_tokens': 10,
        'gen_ai.usage.output_tokens': 5,
        'gen_ai.usage.cache_read.input_tokens': 0,
        'gen_ai.usage.cache_creation.input_tokens': 0,
      },
    },
  ]);
});

test('unset values are left out; https has its usual port; the model that answered is named', async () => {
  const spans = register();
  const usage = {
    promptTokens: 1,
    completionTokens: 2,
    cacheReadTokens: 3,
    cacheWriteTokens: 4,
    reasoningTokens: 5,
  };
  const answered = await traced({ model: 'groq/x' }, { model: 'other', usage }).complete(EMPTY, unaborted());
  assert.equal(answered.model, 'other');
  assert.deepEqual(spans[0]?.attributes, {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'groq',
    'gen_ai.request.model': 'x',
    'server.address': 'api.groq.com',
    'server.port': 443,
    'gen_ai.response.id': 'id',
    'gen_ai.response.model': 'other',
    'gen_ai.response.finish_reasons': ['stop'],
    'gen_ai.usage.input_tokens': 1,
    'gen_ai.usage.output_tokens': 2,
    'gen_ai.usage.cache_read.input_tokens': 3,
    'gen_ai.usage.cache_creation.input_tokens': 4,
  });
});

test('a provider whose package knows the address has no server in its span, and an invalid address is left out', async () => {
  const spans = register();
  await traced({ model: 'anthropic/x' }, {}).complete(EMPTY, unaborted());
  await traced({ model: 'x', endpoint: { baseUrl: 'no address' } }, {}).complete(EMPTY, unaborted());
  for (const { attributes } of spans) assert.equal('server.address' in attributes, false);
});

test('a failed call ends its span with the error’s code, and throws it', async () => {
  const spans = register();
  const error = new LLMError('LLMRateLimitError', 'slow down');
  await assert.rejects(traced({ model: 'groq/x' }, error).complete(EMPTY, unaborted()), error);
  await assert.rejects(traced({ model: 'groq/x' }, new TypeError('odd')).complete(EMPTY, unaborted()));
  assert.deepEqual(
    spans.map(({ attributes, status, ended }) => [attributes['error.type'], status, ended]),
    [
      ['LLMRateLimitError', { code: 2, message: 'slow down' }, 1],
      ['TypeError', { code: 2, message: 'odd' }, 1],
    ],
  );
});

test('without a tracer calls are made as usual', async () => {
  const llm = cannedLlm('m', [{}]);
  const config = { model: 'groq/x' };
  const options = unaborted();
  const plain = await withTracing(llm, config, resolveModel(config.model)).complete(EMPTY, options);
  assert.equal(textOf(plain.message.content), 'm');
  (globalThis as { [REGISTRY]?: object })[REGISTRY] = {}; // the registry is there, for metrics only
  await withTracing(llm, config, resolveModel(config.model)).complete(EMPTY, options);
  assert.deepEqual(
    llm.asked.map((each) => each.options),
    [options, options],
  );
});

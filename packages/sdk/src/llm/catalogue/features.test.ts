import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkConfig } from '../config/check-config.ts';
import { type LlmConfig, llmOfSettings } from '../config/llm-config.ts';
import { LLM_FIELDS, type LlmKey } from '../config/llm-fields.ts';
import type { Kind } from '../config/setting.ts';
import { llmFromWire, llmToWire } from '../config/wire-config.ts';
import { geminiSchema } from '../provider/format/accepted-schema.ts';
import { decideFeatures, featuresOf, type ModelFeatures } from './features.ts';
import { resolveModel } from './model-name.ts';

function features(config: LlmConfig): ModelFeatures {
  return featuresOf(decideFeatures(config, resolveModel(config.model, config.endpoint)));
}

/** Section 8.4 of the reference, and what its users expect of names since. */
const DECIDED: readonly (readonly [model: string, features: Partial<ModelFeatures>])[] = [
  [
    'anthropic/claude-sonnet-4-5',
    { cacheMarks: true, vision: true, reasoningEffort: true, replayThinking: true },
  ],
  ['anthropic/claude-3-5-sonnet-20241022', { cacheMarks: true, vision: true, reasoningEffort: false }],
  ['gemini/gemini-3.8-flash', { cacheMarks: false, vision: true, reasoningEffort: true }],
  ['openai/gpt-5.5', { responsesApi: true, cacheRetention: true, reasoningEffort: true, vision: true }],
  ['openai/gpt-5-mini', { responsesApi: true, cacheRetention: false }],
  ['openai/gpt-5.1-codex-mini', { cacheRetention: true }],
  ['openai/gpt-4.1', { responsesApi: false, cacheRetention: true, briefTools: true, reasoningEffort: false }],
  ['openai/o3', { stopWords: false, briefTools: true, responsesApi: true }],
  ['xai/grok-code-fast-1', { stopWords: false, vision: false }],
  ['deepseek/deepseek-v4-pro', { stringContent: true, replayReasoning: true, vision: false }],
  ['deepseek/deepseek-chat', { stringContent: true, replayReasoning: false }],
  ['moonshot/kimi-k3', { replayReasoning: true, vision: true }],
  ['groq/moonshotai/kimi-k2-instruct', { stringContent: true, vision: false }],
  ['zai/glm-5.2', { stringContent: true }],
  ['openrouter/minimax/minimax-m2', { stringContent: true, replayReasoning: true }],
  ['openrouter/anthropic/claude-opus-4.1', { cacheMarks: true, vision: true }],
  ['ollama/gemma2', { nativeTools: false }],
  ['ollama/qwen3-coder', { nativeTools: true, vision: false }],
  ['hosted_vllm/all-hands/openhands-lm-32b', { nativeTools: false }],
];

for (const [model, expected] of DECIDED) {
  test(`${model}`, () => {
    const all = features({ model });
    const found = Object.fromEntries(
      Object.keys(expected).map((name) => [name, all[name as keyof ModelFeatures]]),
    );
    assert.deepEqual(found, expected);
  });
}

test('the prefix of a proxy does not affect the features', () => {
  const endpoint = { baseUrl: 'http://h/v1' };
  const bare = features({ model: 'litellm_proxy/claude-sonnet-4-5', endpoint });
  assert.deepEqual(features({ model: 'litellm_proxy/prod/claude-sonnet-4-5', endpoint }), bare);
});

test('an unknown model gets safe choices, each of which can be overridden', () => {
  const model = 'hosted_vllm/mystery';
  const { vision, reasoningEffort, cacheMarks, nativeTools } = features({ model });
  assert.deepEqual([vision, reasoningEffort, cacheMarks, nativeTools], [false, false, false, true]);
  const known = features({ model, capabilities: { overrides: { vision: true, native_tools: false } } });
  assert.deepEqual([known.vision, known.nativeTools], [true, false]);
});

test('settings override the tables', () => {
  const settled = features({
    model: 'anthropic/claude-sonnet-4-5',
    capabilities: {
      cachingPrompt: false,
      disableVision: true,
      disableStopWord: true,
      nativeToolCalling: false,
    },
  });
  assert.deepEqual(
    [settled.cacheMarks, settled.vision, settled.stopWords, settled.nativeTools],
    [false, false, false, false],
  );
});

/** Contradictions, each with what its message must name. */
const REFUSED: readonly (readonly [LlmConfig, RegExp])[] = [
  [{ model: 'anthropic/claude-sonnet-4-5', capabilities: { apiMode: 'responses' } }, /api_mode/],
  [{ model: 'openai/gpt-5', limits: { maxInputTokens: 8_000 } }, /max_input_tokens = 8000/],
  [
    { model: 'openai/gpt-5', limits: { maxInputTokens: 20_000, maxOutputTokens: 20_000 } },
    /max_output_tokens/,
  ],
  [{ model: 'openai/gpt-5', retry: { minWaitMs: 10, maxWaitMs: 5 } }, /retry_min_wait/],
  [
    {
      model: 'anthropic/claude-sonnet-4-5',
      sampling: { reasoningEffort: 'none', extendedThinkingBudget: 5_000 },
    },
    /exclude each other/,
  ],
  [{ model: 'openai/gpt-5', capabilities: { overrides: { visoin: true } } }, /visoin/],
  [{ model: 'openai/gpt-5', routing: { llms: {}, rules: [{ use: 'cheap' }] } }, /cheap/],
];

for (const [config, message] of REFUSED) {
  test(`refused before any request: ${message.source}`, () => {
    const resolved = resolveModel(config.model);
    const check = () => checkConfig(config, resolved, decideFeatures(config, resolved), {});
    assert.throws(check, { code: 'LLMBadRequestError', message });
  });
}

test('a configuration on the wire is read back as it was', () => {
  const value = (kind: Kind): fc.Arbitrary<unknown> => {
    if (typeof kind !== 'string') return fc.constantFrom(...kind);
    if (kind === 'text' || kind === 'secret')
      return fc.string({ minLength: 1 }).filter((value) => !/^\*+$/.test(value));
    if (kind === 'switch') return fc.boolean();
    if (kind.startsWith('table'))
      return fc.dictionary(
        fc.constantFrom('a', 'b'),
        kind === 'table of switches' ? fc.boolean() : (fc.string() as fc.Arbitrary<unknown>),
        {
          noNullPrototype: true,
        },
      );
    if (kind === 'whole number above 0') return fc.integer({ min: 1 });
    return kind === 'number of seconds' ? fc.nat(1_000).map((seconds) => seconds * 1_000) : fc.nat();
  };
  const fields = Object.entries(LLM_FIELDS).map(([name, { kind }]) => [name, value(kind)] as const);
  const config = fc
    .record(Object.fromEntries(fields), { requiredKeys: ['model'] })
    .map((settings) => llmOfSettings(Object.entries(settings) as [LlmKey, unknown][]));
  fc.assert(
    fc.property(config, (given) => {
      const wire = JSON.parse(JSON.stringify(llmToWire(given as never, (secret) => secret)));
      assert.deepEqual(llmFromWire(wire), given);
    }),
  );
});

test('Gemini gets the part of a schema that it accepts', () => {
  const schema = {
    $schema: 'x',
    type: 'object',
    additionalProperties: false,
    properties: {
      format: { type: 'string', format: 'uri', default: 'a' },
      when: { type: 'string', format: 'date-time' },
      kind: { const: 'one' },
      list: {
        type: 'array',
        items: { type: 'object', properties: { a: { type: 'integer', exclusiveMinimum: 0 } } },
      },
    },
    required: ['format'],
  };
  assert.deepEqual(geminiSchema(schema), {
    type: 'object',
    properties: {
      format: { type: 'string' },
      when: { type: 'string', format: 'date-time' },
      kind: { enum: ['one'] },
      list: { type: 'array', items: { type: 'object', properties: { a: { type: 'integer' } } } },
    },
    required: ['format'],
  });
});

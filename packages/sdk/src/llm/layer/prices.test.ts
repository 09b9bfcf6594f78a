import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cannedLlm, EMPTY, unaborted } from '../../../test-support/canned-llm.ts';
import { resolveModel } from '../catalogue/model-name.ts';
import type { LlmConfig } from '../config/llm-config.ts';
import { type LLM, NO_USAGE } from '../llm.ts';
import { withPrices } from './prices.ts';

/** In the catalogue, at its provider's own address. */
const KNOWN = 'anthropic/claude-3-5-haiku-20241022';
/** Ten tokens in, five out, as canned. */
const OWN = { inputUsdPerToken: 1, outputUsdPerToken: 10 };

interface Priced {
  readonly costUsd: number | null;
  readonly forTen: number | null | undefined;
  readonly window: number | undefined;
}

async function priced(
  config: Partial<LlmConfig>,
  { stated = null, more = {} }: { readonly stated?: number | null; readonly more?: Partial<LLM> } = {},
): Promise<Priced> {
  const full = { model: KNOWN, ...config };
  const llm = withPrices(
    cannedLlm('m', [{ costUsd: stated }], more),
    full,
    resolveModel(full.model, full.endpoint),
  );
  const pricing = await llm.pricing?.();
  return {
    costUsd: (await llm.complete(EMPTY, unaborted())).costUsd,
    forTen: pricing === null ? null : pricing?.({ ...NO_USAGE, promptTokens: 10 }),
    window: await llm.contextWindow?.(),
  };
}

const LOCAL = { model: 'm', endpoint: { baseUrl: 'http://127.0.0.1:1/v1' } };

test('the user’s own prices override the endpoint’s and the catalogue’s', async () => {
  assert.deepEqual(await priced({ prices: OWN, limits: { maxInputTokens: 7 } }, { stated: 3 }), {
    costUsd: 60,
    forTen: 10,
    window: 7,
  });
});

test('one price of the user’s is enough: the other is 0', async () => {
  assert.equal((await priced({ prices: { inputUsdPerToken: 1 } })).costUsd, 10);
  assert.equal((await priced({ prices: { outputUsdPerToken: 1 } })).costUsd, 5);
});

test('the endpoint’s cost overrides the catalogue’s price', async () => {
  const { costUsd, forTen } = await priced({}, { stated: 3 });
  assert.equal(costUsd, 3);
  assert.notEqual(forTen, null);
});

test('otherwise price and window come from the catalogue', async () => {
  const { costUsd, forTen, window } = await priced({});
  assert.ok(costUsd !== null && costUsd > 0 && costUsd < 0.001);
  assert.ok(forTen !== null && forTen !== undefined && forTen > 0);
  assert.equal(window, 200_000);
  assert.equal((await priced({ limits: { maxInputTokens: 7 } })).window, 7);
});

test('an unknown model has no price and no window', async () => {
  assert.deepEqual(await priced({ model: 'openai/mystery-9' }), {
    costUsd: null,
    forTen: null,
    window: undefined,
  });
});

for (const baseUrl of [
  'http://127.0.0.1:1/v1',
  'http://localhost:1/v1',
  'http://[::1]:1/v1',
  'http://0.0.0.0:1/v1',
  'http://127.9.9.9/v1',
])
  test(`a model at ${baseUrl} has no price, whatever it is called`, async () => {
    for (const model of [KNOWN, 'gpt-4o']) {
      const { costUsd, forTen } = await priced({ model, endpoint: { baseUrl } });
      assert.deepEqual([costUsd, forTen], [null, null], model);
    }
  });

test('hosts that resemble localhost are not this machine', async () => {
  for (const baseUrl of ['https://localhost.example/v1', 'https://my-localhost/v1']) {
    const { forTen } = await priced({ model: 'anthropic/claude-3-5-haiku-20241022', endpoint: { baseUrl } });
    assert.notEqual(forTen, null, baseUrl);
  }
});

test('a model on this machine costs what the user or the endpoint says', async () => {
  assert.equal((await priced({ ...LOCAL, prices: OWN })).costUsd, 60);
  assert.equal((await priced(LOCAL, { stated: 3 })).costUsd, 3);
});

test('an address that cannot be parsed is not on this machine', async () => {
  assert.notEqual((await priced({ endpoint: { baseUrl: 'no address' } })).forTen, null);
});

test('a model that knows its own price is asked, unless the user has set prices', async () => {
  const more = { pricing: async () => () => 9 };
  assert.equal((await priced({ ...LOCAL, model: 'scripted/s.json' }, { more })).forTen, 9);
  assert.equal((await priced({ ...LOCAL, prices: OWN }, { more })).forTen, 10);
});

test('a failed call’s error is passed on', async () => {
  const error = new Error('down');
  const llm = withPrices(cannedLlm('m', [error]), { model: KNOWN }, resolveModel(KNOWN));
  await assert.rejects(llm.complete(EMPTY, unaborted()), error);
});

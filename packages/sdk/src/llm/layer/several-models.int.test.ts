/** More than one model: fallback, routing, purposes. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { image, text, textOf } from '../../event/content.ts';
import type { Message } from '../../event/message.ts';
import { type ModelServer, type Respond, startModelServer } from '../../testing/model-server.ts';
import type { LlmConfig, RoutingRule } from '../config/llm-config.ts';
import { createLlm } from '../create-llm.ts';
import type { LLM } from '../llm.ts';

const ASK: Message[] = [{ role: 'user', content: [text('hello')] }];
const DOWN: Respond = () => ({ error: { status: 503, message: 'down' } });

async function serve(t: TestContext, respond: Respond): Promise<ModelServer> {
  const server = await startModelServer(respond);
  t.after(() => server.close());
  return server;
}

function config(server: ModelServer, model: string, more: Partial<LlmConfig> = {}): LlmConfig {
  return { model, endpoint: { baseUrl: `${server.url}/v1` }, retry: { attempts: 1 }, ...more };
}

async function ask(llm: LLM, messages = ASK, notes: string[] = []) {
  return await llm.complete(
    { messages, tools: [] },
    { signal: new AbortController().signal, onNote: (note) => notes.push(note) },
  );
}

test('the models of the fallback are asked in their order, and the first that answers is named', async (t) => {
  const down = await serve(t, DOWN);
  const up = await serve(t, () => ({ text: 'here' }));
  const fallbacks = [
    config(down, 'second'),
    config(up, 'third', { prices: { inputUsdPerToken: 1, outputUsdPerToken: 1 } }),
  ];
  const llm = await createLlm(config(down, 'first', { fallbacks, usageId: 'agent' }), { env: {} });
  const notes: string[] = [];
  const { message, model, costUsd } = await ask(llm, ASK, notes);
  assert.deepEqual([textOf(message.content), model, costUsd], ['here', 'third', 110]);
  assert.deepEqual(
    notes.map((note) => /asking (\w+)/.exec(note)?.[1]),
    ['second', 'third'],
  );
});

test('when all fail, the first one’s error is thrown; an error that another model would also give is not retried on one', async (t) => {
  const down = await serve(t, DOWN);
  const llm = await createLlm(config(down, 'first', { fallbacks: [config(down, 'second')] }), { env: {} });
  await assert.rejects(ask(llm), /first at .*down/);
  const wrongKey = await serve(t, () => ({ error: { status: 401, message: 'bad key' } }));
  const other = await serve(t, () => ({ text: 'here' }));
  const refused = await createLlm(config(wrongKey, 'first', { fallbacks: [config(other, 'second')] }), {
    env: {},
  });
  await assert.rejects(ask(refused), { code: 'LLMAuthenticationError' });
  assert.equal(other.requests.length, 0);
});

const answered: Message = { role: 'assistant', content: [text('hi')] };
const shown: Message = { role: 'user', content: [image('data:image/png;base64,AAAA')] };
const long: Message = { role: 'user', content: [text('x'.repeat(8_000))] };

const ROUTES: readonly (readonly [why: string, rules: RoutingRule[], messages: Message[], asked: string])[] =
  [
    ['has an image', [{ hasImage: true, use: 'eyes' }], [...ASK, shown], 'eyes'],
    ['has no image', [{ hasImage: true, use: 'eyes' }], ASK, 'main'],
    ['prompt size', [{ minPromptTokens: 2_000, use: 'wide' }], [long], 'wide'],
    ['prompt is short', [{ minPromptTokens: 2_000, use: 'wide' }], ASK, 'main'],
    ['first turn', [{ isFirstTurn: true, use: 'wide' }], ASK, 'wide'],
    ['later turn', [{ isFirstTurn: true, use: 'wide' }], [...ASK, answered, ...ASK], 'main'],
    [
      'the first rule that fits',
      [{ hasImage: true, use: 'primary' }, { use: 'wide' }],
      [...ASK, shown],
      'main',
    ],
    [
      'every condition must hold',
      [{ hasImage: true, isFirstTurn: false, use: 'eyes' }],
      [...ASK, shown],
      'main',
    ],
  ];

for (const [why, rules, messages, asked] of ROUTES) {
  test(`routing: ${why}`, async (t) => {
    const server = await serve(t, () => ({ text: 'here' }));
    const llms = { eyes: config(server, 'eyes'), wide: config(server, 'wide') };
    const llm = await createLlm(config(server, 'main', { routing: { rules, llms } }), { env: {} });
    const { model } = await ask(llm, messages);
    assert.equal(model, asked);
    assert.equal(server.requests[0]?.body['model'], asked);
  });
}

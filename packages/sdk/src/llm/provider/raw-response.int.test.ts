import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { text } from '../../event/content.ts';
import { type Reply, startModelServer } from '../../testing/model-server.ts';
import { type LlmConfig, withEndpoint } from '../config/llm-config.ts';
import { createLlm } from '../create-llm.ts';
import type { Completion } from '../llm.ts';

const TOOL = { name: 'terminal', description: 'runs', parameters: { type: 'object', properties: {} } };
const REPLY: Reply = {
  text: 'I look.',
  reasoning: 'They want a list.',
  toolCalls: [
    { id: 'a', name: 'terminal', arguments: { command: 'ls -l' } },
    { id: 'b', name: 'terminal', arguments: { command: 'pwd' } },
  ],
};

async function ask(
  t: TestContext,
  config: LlmConfig,
  reply: Reply,
  isStreamed: boolean,
): Promise<Completion> {
  const server = await startModelServer(() => reply);
  t.after(() => server.close());
  const endpoint = { apiKey: 'secret-key', baseUrl: `${server.url}/v1` };
  const llm = await createLlm({ ...withEndpoint(config, endpoint), retry: { attempts: 1 } }, { env: {} });
  const prompt = { messages: [{ role: 'user' as const, content: [text('go')] }], tools: [TOOL] };
  return await llm.complete(prompt, {
    signal: new AbortController().signal,
    ...(isStreamed ? { onDelta: () => undefined } : {}),
  });
}

for (const [name, config] of Object.entries<LlmConfig>({
  'OpenAI (chat)': { model: 'openai/gpt-4o' },
  'OpenAI (Responses)': { model: 'openai/gpt-5.5', capabilities: { apiMode: 'responses' } },
  Anthropic: { model: 'anthropic/claude-sonnet-4-6' },
  Mistral: { model: 'mistral/mistral-medium-latest' },
}))
  test(`${name}: the whole response is kept, and a streamed one is put together to the same`, async (t) => {
    const whole = await ask(t, config, REPLY, false);
    assert.ok(JSON.stringify(whole.raw).includes('ls -l'));
    assert.deepEqual((await ask(t, config, REPLY, true)).raw, whole.raw);
  });

test('a streamed response in an unknown form is the list of its chunks', async (t) => {
  const { raw } = await ask(t, { model: 'gemini/gemini-3.8-flash' }, REPLY, true);
  assert.ok(Array.isArray((raw as { readonly chunks: unknown }).chunks));
});

test('arguments that are not JSON are kept as the model wrote them', async (t) => {
  const broken: Reply = { toolCalls: [{ name: 'terminal', arguments: '{"command": "ls' }] };
  for (const isStreamed of [false, true]) {
    const { raw } = await ask(t, { model: 'openai/gpt-4o' }, broken, isStreamed);
    assert.ok(JSON.stringify(raw).includes(JSON.stringify('{"command": "ls')));
  }
});

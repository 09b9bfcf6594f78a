/**
 * Every provider package against a server that speaks its protocol, with everything that an agent needs of it. What is
 * found is compared with the table in docs/models.md, so that neither can change without the other.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { image, text, textOf } from '../../event/content.ts';
import type { Message } from '../../event/message.ts';
import { type Reply, startModelServer } from '../../testing/model-server.ts';
import { type LlmConfig, withEndpoint } from '../config/llm-config.ts';
import { createLlm } from '../create-llm.ts';
import type { Completion, Delta } from '../llm.ts';

const KEY = { endpoint: { apiKey: 'secret-key' } };

/** By their names in the table. */
const ENDPOINTS: { readonly [name: string]: LlmConfig & Pick<Reply, 'signedBy'> } = {
  'OpenAI (Responses)': { ...KEY, model: 'openai/gpt-5.5', capabilities: { apiMode: 'responses' } },
  'Azure (Responses)': { ...KEY, model: 'azure/gpt-5.5' },
  'Azure (chat)': {
    model: 'azure/gpt-4o',
    endpoint: { ...KEY.endpoint, apiVersion: '2024-12-01-preview' },
  },
  Anthropic: { ...KEY, model: 'anthropic/claude-sonnet-4-6' },
  'Google Gemini': { ...KEY, model: 'gemini/gemini-3.8-flash' },
  'Google Vertex (Gemini)': { ...KEY, model: 'vertex_ai/gemini-3.8-flash' },
  'Amazon Bedrock (Claude)': { ...KEY, model: 'bedrock/anthropic.claude-sonnet-4-6' },
  Mistral: { ...KEY, model: 'mistral/mistral-medium-latest' },
  'OpenRouter (Claude)': { ...KEY, model: 'openrouter/anthropic/claude-sonnet-5', signedBy: 'openrouter' },
  'LiteLLM proxy (Claude)': { ...KEY, model: 'litellm_proxy/claude-sonnet-4-6', signedBy: 'litellm' },
  'DeepSeek (reasoner)': { ...KEY, model: 'deepseek/deepseek-v4-pro' },
  'Groq (gpt-oss)': { ...KEY, model: 'groq/openai/gpt-oss-120b' },
  'Moonshot (Kimi)': { ...KEY, model: 'moonshot/kimi-k3' },
  'Ollama, vLLM, LM Studio (a model nobody knows)': { model: 'hosted_vllm/mystery' },
};

const TOOL = {
  name: 'terminal',
  description: 'runs',
  parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
};
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const ASK: readonly Message[] = [
  { role: 'system', content: [text('be brief'), text('today')] },
  { role: 'user', content: [text('list the files')] },
];
const REPLY: Reply = {
  text: 'I look.',
  reasoning: 'They want a list.',
  toolCalls: [
    { id: 'a', name: 'terminal', arguments: { command: 'ls -l' } },
    { id: 'b', name: 'terminal', arguments: { command: 'pwd' } },
  ],
  usage: { input: 120, output: 20, cached: 100 },
};
const CALLED = '<function=terminal>\n<parameter=command>ls -l</parameter>\n';

interface Asked {
  readonly completion: Completion;
  readonly sent: string;
  readonly deltas: readonly Delta[];
}

async function ask(
  t: TestContext,
  config: LlmConfig,
  reply: Reply,
  messages = ASK,
  streamed = false,
): Promise<Asked> {
  const server = await startModelServer(() => reply);
  t.after(() => server.close());
  const llm = await createLlm(
    { ...withEndpoint(config, { baseUrl: `${server.url}/v1` }), retry: { attempts: 1 } },
    { env: {} },
  );
  const deltas: Delta[] = [];
  const completion = await llm.complete(
    { messages, tools: [TOOL], cacheKey: 'the-conversation' },
    {
      signal: new AbortController().signal,
      ...(streamed ? { onDelta: (delta: Delta) => deltas.push(delta) } : {}),
    },
  );
  return { completion, sent: server.requests[0]!.text, deltas };
}

/** What does not depend on when it was asked. */
function said({ message, finish, usage }: Completion) {
  const calls = message.tool_calls?.map(({ name, arguments: args }) => ({ name, args: JSON.parse(args) }));
  return { ...message, content: textOf(message.content), tool_calls: calls, finish: finish.reason, usage };
}

for (const [name, { signedBy, ...config }] of Object.entries(ENDPOINTS)) {
  test(`${name}: supports what the table in docs/models.md says`, async (t) => {
    const reply = signedBy === undefined ? REPLY : { ...REPLY, signedBy };
    const whole = await ask(t, config, reply);
    const streamed = await ask(t, config, reply, ASK, true);
    const prompted = { ...config, capabilities: { ...config.capabilities, nativeToolCalling: false } };
    const inText = await ask(t, prompted, { text: `I look.\n\n${CALLED}` });
    const inStream = await ask(t, prompted, { text: `I look.\n\n${CALLED}` }, ASK, true);
    const seen = await ask(t, config, REPLY, [
      ...ASK,
      { role: 'user', content: [image(`data:image/png;base64,${PNG}`)] },
    ]);
    const again = await ask(t, config, REPLY, [
      ...ASK,
      whole.completion.message,
      ...resultsOf(whole.completion),
    ]);

    assert.deepEqual(
      said(whole.completion).tool_calls,
      REPLY.toolCalls?.map(({ name: tool, arguments: args }) => ({ name: tool, args })),
    );
    assert.equal(textOf(whole.completion.message.content), 'I look.');
    assert.deepEqual(counts(whole.completion), [120, 20]);
    for (const result of ['result 0', 'result 1']) assert.ok(again.sent.includes(result));

    const found = {
      'streamed = whole': yes(isSame(streamed.completion, whole.completion) && toldAll(streamed.deltas)),
      'native tools': yes(/"terminal"/.test(whole.sent) && !whole.sent.includes('BEGIN FUNCTION')),
      'prompted tools': yes(
        isCall(inText.completion) &&
          isCall(inStream.completion) &&
          inText.sent.includes('BEGIN FUNCTION') &&
          toldInWords(inStream.deltas) === 'I look.\n\n',
      ),
      images: yes(seen.sent.includes(PNG)),
      'images in results': yes(again.sent.includes(PNG)),
      effort: yes(/"(reasoning_effort|effort|thinkingLevel|thinkingBudget|budget_tokens)":/.test(whole.sent)),
      'prompt cache': /cache_control|cachePoint/.test(whole.sent)
        ? 'marks'
        : /prompt_cache_key/.test(whole.sent)
          ? 'key'
          : 'prefix',
      'thoughts sent back': yes(/signed-0|sealed-0|They want a list/.test(again.sent)),
    };
    assert.deepEqual(found, TABLE[name]);
  });
}

const WRONG: readonly Message[] = [
  { role: 'user', content: [text(''), text('list the files')] },
  { role: 'assistant', content: [text('')] },
  { role: 'system', content: [text('be brief'), text(' ')] },
  { role: 'user', content: [text(' ')] },
];

for (const [name, config] of Object.entries(ENDPOINTS)) {
  for (const nativeToolCalling of [true, false]) {
    const how = nativeToolCalling ? 'native' : 'prompted';
    test(`${name}, ${how}: no blank text is sent, and the system prompt stands first`, async (t) => {
      const capabilities = { ...config.capabilities, nativeToolCalling };
      const { sent } = await ask(t, { ...config, capabilities }, REPLY, WRONG);
      assert.doesNotMatch(sent, /"(text|content|instructions)":"\s*"|"(content|parts)":\[\]/);
      assert.ok(
        sent.indexOf('be brief') < sent.indexOf('list the files') ||
          /"(system|systemInstruction|instructions)":/.test(sent),
      );
      assert.equal(sent.split('be brief').length, 2);
    });
  }
  test(`${name}: a request without a message is not sent`, async (t) => {
    await assert.rejects(ask(t, config, REPLY, []), { code: 'LLMBadRequestError' });
    await assert.rejects(ask(t, config, REPLY, ASK.slice(0, 1)), { code: 'LLMBadRequestError' });
  });
}

function resultsOf({ message }: Completion): Message[] {
  return message.tool_calls!.map((call, i) => ({
    role: 'tool',
    content: [text(`result ${i}`), image(`data:image/png;base64,${PNG}`)],
    tool_call_id: call.id,
    name: call.name,
  }));
}

function counts({ usage }: Completion) {
  return [usage.promptTokens, usage.completionTokens];
}

function isSame(a: Completion, b: Completion): boolean {
  assert.deepEqual(said(a), said(b));
  return true;
}

function toldInWords(deltas: readonly Delta[]): string {
  return deltas.flatMap((delta) => (delta.type === 'text' ? [delta.text] : [])).join('');
}

function toldAll(deltas: readonly Delta[]): boolean {
  const args = deltas.flatMap((delta) => (delta.type === 'tool-input' ? [delta.text] : [])).join('');
  return toldInWords(deltas) === 'I look.' && args.includes('ls -l');
}

function isCall({ message, finish }: Completion): boolean {
  const [call, ...others] = message.tool_calls ?? [];
  assert.deepEqual([call?.name, call?.arguments, others], ['terminal', '{"command":"ls -l"}', []]);
  assert.equal(textOf(message.content), 'I look.');
  assert.match(call!.id, /^toolu_\w{32}$/);
  assert.equal(finish.reason, 'tool-calls');
  return true;
}

function yes(value: boolean): string {
  return value ? 'yes' : 'no';
}

/** The rows of the table with the column `streamed = whole`. */
const TABLE: { readonly [name: string]: { readonly [column: string]: string } } = (() => {
  const page = readFileSync(join(import.meta.dirname, '../../../../../docs/models.md'), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('|'));
  const cells = (row: string) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
  const head = rows.findIndex((row) => row.includes('streamed = whole'));
  const [, ...columns] = cells(rows[head] ?? '');
  const body = rows.slice(head + 2, head + 2 + Object.keys(ENDPOINTS).length).map(cells);
  return Object.fromEntries(
    body.map(([name, ...values]) => [
      name,
      Object.fromEntries(columns.map((column, i) => [column, values[i]])),
    ]),
  );
})();

test('the table has a row for each endpoint, and no other', () => {
  assert.deepEqual(Object.keys(TABLE), Object.keys(ENDPOINTS));
});

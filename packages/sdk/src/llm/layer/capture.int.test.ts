import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { text } from '../../event/content.ts';
import type { Message } from '../../event/message.ts';
import { type Reply, startModelServer } from '../../testing/model-server.ts';
import { SDK_VERSION } from '../../version.ts';
import { type LlmConfig, mergeLlm } from '../config/llm-config.ts';
import { createLlm } from '../create-llm.ts';

const TOOL = { name: 'terminal', description: 'runs', parameters: { type: 'object', properties: {} } };
const CALL = { id: 'a', name: 'terminal', arguments: '{"command":"ls"}', origin: 'completion' } as const;
const SECRET = 'a "quoted" secret\nof two lines';
const KEY = 'sk-very-secret-key';
const MESSAGES: Message[] = [
  { role: 'system', content: [text('be brief')] },
  { role: 'user', content: [text(`use ${SECRET} and ${KEY}`)] },
  { role: 'assistant', content: [], tool_calls: [CALL] },
  { role: 'tool', content: [text('a.txt')], tool_call_id: 'a', name: 'terminal' },
];

type Json = { readonly [key: string]: unknown };

interface Scene {
  readonly folder: string;
  readonly url: string;
  ask(config: Partial<LlmConfig>, env?: object): Promise<unknown>;
  /** Names and contents of what was written into a folder. */
  files(name?: string): [name: string, content: Json][];
  /** The bodies that the endpoint received. */
  received(): readonly Json[];
}

const masked = (json: string) =>
  [SECRET, KEY].reduce(
    (text, secret) => text.replaceAll(JSON.stringify(secret).slice(1, -1), '<secret-hidden>'),
    json,
  );

async function scene(t: TestContext, reply: Reply): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-capture-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const server = await startModelServer(() => reply);
  t.after(() => server.close());
  const ask: Scene['ask'] = async (config, env = {}) => {
    const llm = await createLlm(
      {
        ...mergeLlm(config, {
          endpoint: { baseUrl: `${server.url}/v1`, apiKey: KEY },
          retry: { attempts: 1 },
        }),
        model: config.model ?? 'x',
      },
      { env: { ...env, OTHER_TOKEN: SECRET } },
    );
    const signal = new AbortController().signal;
    return await llm.complete(
      { messages: MESSAGES, tools: [TOOL], cacheKey: 'c1', session: { id: 's1', agent: 'Coder' } },
      { signal },
    );
  };
  const files: Scene['files'] = (name = '') =>
    readdirSync(join(folder, name))
      .filter((file) => file.endsWith('.json'))
      .toSorted()
      .map((file) => [file, JSON.parse(readFileSync(join(folder, name, file), 'utf8'))]);
  const received = () => server.requests.map(({ body }) => body);
  return { folder, url: server.url, ask, files, received };
}

const REPLY: Reply = {
  text: `I saw ${KEY}`,
  reasoning: 'hm',
  toolCalls: [{ name: 'terminal', arguments: {} }],
};

test('LONGHAND_DUMP_REQUEST and OPENHANDS_DUMP_REQUEST: one file for each request, readable for its owner', async (t) => {
  for (const prefix of ['LONGHAND', 'OPENHANDS']) {
    const { folder, ask, files } = await scene(t, REPLY);
    await ask(
      { model: 'anthropic/claude-sonnet-4-5' },
      { [`${prefix}_DUMP_REQUEST`]: '1', [`${prefix}_DUMP_REQUEST_DIR`]: folder },
    );
    const [[name], ...others] = files() as [[string, Json]];
    assert.deepEqual(others, []);
    assert.match(name, /^anthropic__claude-sonnet-4-5-\d+\.\d{3}-[0-9a-f]{4}\.json$/);
    assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600);
  }
});

const PROTOCOLS: readonly LlmConfig[] = [
  { model: 'x' },
  { model: 'litellm_proxy/x', endpoint: { extraBody: { a: 1 } } },
  { model: 'openai/gpt-4o' },
  { model: 'openai/gpt-5.5', capabilities: { apiMode: 'responses' } },
  { model: 'anthropic/claude-sonnet-4-6', limits: { maxOutputTokens: 100 } },
  { model: 'gemini/gemini-3.8-flash' },
  { model: 'bedrock/anthropic.claude-sonnet-4-6' },
  { model: 'mistral/mistral-medium-latest' },
];

for (const config of PROTOCOLS) {
  const { model, capabilities } = config;
  test(`${model}${capabilities === undefined ? '' : ' (Responses)'}: the dump is what was on the wire, and so is what a completion log says of it`, async (t) => {
    const { folder, ask, files, received } = await scene(t, REPLY);
    const log = { completionLog: { enabled: true, folder: join(folder, 'logs') } };
    await ask({ ...config, ...log }, { LONGHAND_DUMP_REQUEST: '1', LONGHAND_DUMP_REQUEST_DIR: folder });
    const hidden = JSON.parse(masked(JSON.stringify(received()[0]))) as Json;
    assert.deepEqual(files()[0]?.[1], hidden);
    const content = files('logs')[0]?.[1] ?? {};
    assert.deepEqual(
      (content['messages'] as { role: string }[]).map(({ role }) => role),
      ['system', 'user', 'assistant', 'tool'],
    );
    assert.deepEqual(content['tools'], [{ type: 'function', function: TOOL }]);
    const kwargs = content['kwargs'] as Json;
    for (const [key, value] of Object.entries(kwargs)) assert.deepEqual(value, hidden[key], key);
    const rest = Object.keys(hidden).filter((key) => !(key in kwargs));
    assert.deepEqual(rest.toSorted(), rest.filter((key) => CONTENT.test(key)).toSorted());
  });
}

const CONTENT = /^(model|messages|input|contents|system|instructions|systemInstruction|tools)$/;

test('a LiteLLM proxy gets metadata as V0 sends it, and other endpoints get none', async (t) => {
  for (const model of ['litellm_proxy/x', 'openhands/x', 'x']) {
    const { ask, received } = await scene(t, REPLY);
    await ask({ model }, { WEB_HOST: 'a.example' });
    const tags = [`model:${model}`, 'agent:Coder', 'usage:agent', 'web_host:a.example'];
    assert.deepEqual(
      received()[0]?.['metadata'],
      model === 'x'
        ? undefined
        : {
            session_id: 's1',
            trace_version: SDK_VERSION,
            tags: [...tags, `longhand_version:${SDK_VERSION}`],
          },
    );
  }
  const { ask, received } = await scene(t, REPLY);
  await ask({ model: 'litellm_proxy/x', endpoint: { extraBody: { metadata: { own: 1 } } } });
  assert.deepEqual(received()[0]?.['metadata'], { own: 1 });
});

test('the raw exchange is what went over the wire, and nothing that is written holds a key or a secret', async (t) => {
  const { folder, url, ask, files } = await scene(t, REPLY);
  const env = { LONGHAND_DUMP_REQUEST_DIR: folder, LONGHAND_CAPTURE_RAW_RESPONSE: 'true' };
  await ask({ completionLog: { enabled: true, folder: join(folder, 'logs') } }, env);
  const raw = files().find(([name]) => name.endsWith('.raw.json'))?.[1] as
    | Record<string, unknown>
    | undefined;
  assert.equal(raw?.['url'], `${url}/v1/chat/completions`);
  assert.equal(raw['status'], 200);
  const [choice] = (raw['response'] as { choices: { message: { reasoning_content: string } }[] }).choices;
  assert.equal(choice?.message.reasoning_content, 'hm');
  const written = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  assert.equal(written.length, 3);
  for (const entry of written) {
    const content = readFileSync(join(entry.parentPath, entry.name), 'utf8');
    assert.ok(content.includes('<secret-hidden>'));
    for (const part of [KEY, SECRET, 'quoted']) assert.ok(!content.includes(part), `${entry.name}: ${part}`);
  }
});

test('completion logs have the reference’s keys; with prompted tools also the messages before', async (t) => {
  const { folder, ask, files } = await scene(t, { text: 'done' });
  const log = { completionLog: { enabled: true, folder: join(folder, 'logs') } };
  await ask({ ...log, capabilities: { nativeToolCalling: false } });
  const [[name, content]] = files('logs') as [[string, Json]];
  assert.match(name, /^x-\d+\.\d{3}-[0-9a-f]{4}\.json$/);
  assert.deepEqual(Object.keys(content), [
    'context_window',
    'messages',
    'tools',
    'kwargs',
    'raw_messages',
    'timestamp',
    'latency_sec',
    'response',
    'cost',
    'usage_summary',
    'raw_response',
  ]);
  const roles = (key: string) => (content[key] as { role: string }[]).map(({ role }) => role).join(' ');
  assert.deepEqual(
    [roles('messages'), roles('raw_messages')],
    ['system user assistant user', 'system user assistant tool'],
  );
});

test('a failed call is logged as a failure', async (t) => {
  const { folder, ask, files } = await scene(t, { error: { status: 400, message: `bad ${KEY}` } });
  await ask({ completionLog: { enabled: true, folder: join(folder, 'logs') } }).catch(() => undefined);
  const [[name, content]] = files('logs') as [[string, Json]];
  assert.match(name, /-error\.json$/);
  assert.deepEqual([(content['error'] as { type: string }).type, content['cost']], ['LLMBadRequestError', 0]);
});

test('a file that cannot be written does not delay the answer', async (t) => {
  const { ask } = await scene(t, { text: 'done' });
  await ask({ completionLog: { enabled: true, folder: '/dev/null/no' } });
});

test('PRESERVE_REASONING_FIELD: reasoning is stored unless switched off', async (t) => {
  const { ask } = await scene(t, REPLY);
  const stored = async (env: object) =>
    ((await ask({}, env)) as { message: Message }).message.reasoning_content;
  assert.equal(await stored({}), 'hm');
  assert.equal(await stored({ OPENHANDS_PRESERVE_REASONING_FIELD: 'false' }), undefined);
});

test('a registered tracer gets a span for each call, after the GenAI conventions', async (t) => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  trace.setGlobalTracerProvider(provider);
  t.after(() => trace.disable());
  const { ask } = await scene(t, { text: 'done', usage: { input: 12, output: 3, cached: 2 } });
  await ask({ sampling: { temperature: 0.5 } });
  const [span] = exporter.getFinishedSpans();
  assert.equal(span?.name, 'chat x');
  const { 'server.port': port, ...attributes } = span!.attributes;
  assert.ok(typeof port === 'number');
  assert.deepEqual(attributes, {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'compatible',
    'gen_ai.request.model': 'x',
    'gen_ai.conversation.id': 'c1',
    'gen_ai.request.temperature': 0.5,
    'server.address': '127.0.0.1',
    'gen_ai.response.id': 'chatcmpl-0',
    'gen_ai.response.model': 'x',
    'gen_ai.response.finish_reasons': ['stop'],
    'gen_ai.usage.input_tokens': 12,
    'gen_ai.usage.output_tokens': 3,
    'gen_ai.usage.cache_read.input_tokens': 2,
    'gen_ai.usage.cache_creation.input_tokens': 0,
  });
});

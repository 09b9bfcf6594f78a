/** Foreign tools in a conversation: whatever they do, every call of a request has one result, under its identifier. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { tool as aiTool } from 'ai';
import * as z from 'zod';
import { type Content, textOf } from '../../event/content.ts';
import type { LlmConfig } from '../../llm/config/llm-config.ts';
import { writeCall } from '../../llm/prompted/grammar.ts';
import { contentText, type ModelServer, type Reply, startModelServer } from '../../testing/model-server.ts';
import { adaptTools } from '../../tool/adapters/adapt-tool.ts';
import type { AdaptOptions } from '../../tool/adapters/format.ts';
import { openLocalWorkspace } from '../../workspace/local-workspace.ts';
import { Conversation } from '../conversation.ts';
import { replay } from '../replay/replay.ts';
import { storedReplaySource } from '../replay/replay-source.ts';

let folder: string;
let server: ModelServer | undefined;
const opened: Conversation[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-foreign-'));
});
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
  await server?.close();
  server = undefined;
  rmSync(folder, { recursive: true, force: true });
});

let started: PromiseWithResolvers<void>;
beforeEach(() => {
  started = Promise.withResolvers();
});

const web = {
  web_search: aiTool({
    inputSchema: z.object({ kind: z.string(), data: z.unknown().optional() }),
    execute: async (input) => input,
  }),
  throws: aiTool({
    inputSchema: z.object({ kind: z.string() }),
    execute: async (): Promise<string> => {
      throw new TypeError('the index is gone');
    },
  }),
  hangs: aiTool({
    inputSchema: z.object({}),
    execute: async () => {
      started.resolve();
      return await new Promise<string>(() => undefined);
    },
  }),
  waits: aiTool({
    inputSchema: z.object({}),
    execute: async (_, { abortSignal }) => {
      started.resolve();
      return await new Promise<string>((_resolve, reject) => {
        abortSignal?.addEventListener('abort', () => reject(abortSignal.reason));
      });
    },
  }),
};

type Calls = NonNullable<Reply['toolCalls']>;

interface More {
  readonly id?: string;
  readonly options?: AdaptOptions;
  readonly llm?: Partial<LlmConfig>;
}

async function open(replies: readonly Reply[], more: More = {}) {
  server ??= await startModelServer((_, i) => replies[i] ?? { text: 'done' });
  const tools = await adaptTools(web, more.options ?? {});
  const conversation = await Conversation.open({
    agent: {
      llm: {
        model: 'anthropic/claude-sonnet-4-5',
        endpoint: { baseUrl: `${server.url}/v1`, apiKey: 'key' },
        retry: { attempts: 1 },
        ...more.llm,
      },
      tools: tools.map(({ name }) => ({ name, params: {} })),
    },
    tools,
    workspace: openLocalWorkspace(folder),
    place: { conversationsDir: join(folder, 'conversations'), id: more.id },
  });
  opened.push(conversation);
  return conversation;
}

interface Block {
  readonly type: string;
  readonly id?: string;
  readonly tool_use_id?: string;
  readonly is_error?: boolean;
  readonly content?: unknown;
}
interface Message {
  readonly role: string;
  readonly content: readonly Block[];
}

/** What stands in the last request: the results by the identifier of their call. Fails where they do not pair. */
function paired(): { readonly [id: string]: string } {
  const messages = server!.requests.at(-1)!.body['messages'] as readonly Message[];
  for (const [i, { content }] of messages.entries()) {
    const asked = content.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
    const answered = (messages[i + 1]?.content ?? []).filter(({ type }) => type === 'tool_result');
    assert.deepEqual(
      answered.map(({ tool_use_id }) => tool_use_id),
      asked,
    );
  }
  const results = messages.flatMap(({ content }) => content.filter(({ type }) => type === 'tool_result'));
  return Object.fromEntries(results.map((each) => [each.tool_use_id, contentText(each.content)]));
}

test('each call has one result under its id, however it ended', async () => {
  const toolCalls: Calls = [
    { id: 'toolu_right', name: 'web_search', arguments: { kind: 'search', data: { kind: 'inner' } } },
    { id: 'toolu_wrong', name: 'web_search', arguments: { kind: 5 } },
    { id: 'toolu_throws', name: 'throws', arguments: { kind: 'x' } },
    { id: 'toolu_hangs', name: 'hangs', arguments: {} },
    { id: 'toolu_unknown', name: 'no_such_tool', arguments: { kind: 'x' } },
    {
      id: 'toolu_again',
      name: 'web_search',
      arguments: '{"kind":"search","constructor":1}',
    },
  ];
  const conversation = await open([{ toolCalls }], { options: { timeoutMs: 50 } });
  await conversation.send('go');
  assert.equal((await conversation.run()).kind, 'finished');
  const results = paired();
  assert.deepEqual(Object.keys(results).toSorted(), toolCalls.map(({ id }) => id!).toSorted());
  assert.equal(results['toolu_right'], '{"kind":"search","data":{"kind":"inner"}}');
  assert.match(results['toolu_wrong']!, /kind: /);
  assert.match(results['toolu_throws']!, /TypeError: the index is gone\n\s+at /);
  assert.match(results['toolu_hangs']!, /did not answer within 0\.05 seconds/);
  assert.match(results['toolu_unknown']!, /There is no tool "no_such_tool"/);
  const [action] = conversation.view.events.filter((event) => event.kind === 'ActionEvent');
  assert.deepEqual(action?.action, {
    data: { kind: 'search', data: { kind: 'inner' } },
    kind: 'WebSearchAction',
  });

  // It reads the same from the disk: the next request begins with the same messages.
  const before = server!.requests.at(-1)!.body['messages'] as readonly Message[];
  const { id } = conversation;
  await conversation.close();
  const resumed = await open([], { id });
  await resumed.send('and?');
  await resumed.run();
  paired();
  const after = server!.requests.at(-1)!.body['messages'] as readonly Message[];
  const plain = (messages: readonly Message[]) =>
    JSON.stringify(messages).replaceAll(/,"cache_control":\{[^}]*\}/g, '');
  assert.ok(plain(after).startsWith(plain(before.slice(0, -1)).slice(0, -1)));
});

for (const name of ['waits', 'hangs']) {
  test(`a call that is interrupted gets a result, and so do those after it (${name})`, async () => {
    const toolCalls = [
      { id: 'toolu_1', name, arguments: {} },
      { id: 'toolu_2', name: 'web_search', arguments: { kind: 'search' } },
    ];
    const conversation = await open([{ toolCalls }]);
    await conversation.send('go');
    const running = conversation.run();
    await started.promise;
    conversation.interrupt();
    assert.equal((await running).kind, 'interrupted');
    await conversation.send('go on');
    assert.equal((await conversation.run()).kind, 'finished');
    const results = paired();
    assert.deepEqual(Object.keys(results), ['toolu_1', 'toolu_2']);
    assert.match(results['toolu_1']!, /user interrupted this call/);
  });
}

test('a parameter named kind reaches its tool also from a model that writes its calls as text', async () => {
  const text = writeCall({ name: 'web_search', args: { kind: 'search', data: 'kind' } });
  const conversation = await open([{ text }], { llm: { capabilities: { nativeToolCalling: false } } });
  await conversation.send('go');
  await conversation.run();
  const [action, result] = ['ActionEvent', 'ObservationEvent'].map((kind) =>
    conversation.view.events.find((event) => event.kind === kind),
  );
  const data = { kind: 'search', data: 'kind' };
  assert.deepEqual(action?.kind === 'ActionEvent' && action.action, { data, kind: 'WebSearchAction' });
  const said = result?.kind === 'ObservationEvent' ? textOf(result.observation.content as Content[]) : '';
  assert.deepEqual(JSON.parse(said), data);
});

test('a conversation with the kinds of earlier versions reads and continues the same', async () => {
  const conversation = await open([
    { toolCalls: [{ id: 'toolu_1', name: 'web_search', arguments: { kind: 'search' } }] },
  ]);
  const { id, directory } = conversation;
  await conversation.send('go');
  await conversation.run();
  const messages = conversation.view.messages();
  await conversation.close();
  const events = join(directory!, 'events');
  for (const name of readdirSync(events)) {
    const text = readFileSync(join(events, name), 'utf8');
    const old = text
      .replaceAll(/WebSearch(Tool|Action|Observation)/g, 'AdaptedTool$1')
      .replaceAll('AdaptedToolTool', 'AdaptedTool');
    writeFileSync(join(events, name), old);
  }
  rmSync(join(directory!, 'checkpoint.json'), { force: true });
  const resumed = await open([], { id });
  assert.equal(
    resumed.view.events.some(
      (each) => each.kind === 'ActionEvent' && each.action?.kind === 'AdaptedToolAction',
    ),
    true,
  );
  assert.deepEqual(resumed.view.messages(), messages);
  await resumed.send('and?');
  assert.equal((await resumed.run()).kind, 'finished');
  paired();
  await resumed.close();
  const source = await storedReplaySource(directory!);
  const report = await replay(source, { tools: await adaptTools(web), strict: false });
  assert.deepEqual([report.difference, report.reproduced], [undefined, report.recorded]);
});

test('a call whose process was killed has a result when the conversation continues', async () => {
  const conversation = await open([{ toolCalls: [{ id: 'toolu_cut', name: 'waits', arguments: {} }] }]);
  const { id } = conversation;
  await conversation.send('go');
  const running = conversation.run();
  await started.promise;
  await conversation.close();
  await running;
  const resumed = await open([], { id });
  await resumed.send('go on');
  assert.equal((await resumed.run()).kind, 'finished');
  assert.deepEqual(Object.keys(paired()), ['toolu_cut']);
});

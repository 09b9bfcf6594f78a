import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import * as z from 'zod';
import { SENDERS } from '../../agent/sender.ts';
import { text } from '../../event/content.ts';
import { LLMError } from '../../llm/errors.ts';
import type { LLM } from '../../llm/llm.ts';
import { type ScriptedTurn, scriptedLlm } from '../../llm/playback/scripted-llm.ts';
import { defineTool } from '../../tool/define-tool.ts';
import { ToolError, type ToolFactory } from '../../tool/tool.ts';
import { type Condenser, KEEP } from '../../view/condensers/condenser.ts';
import { openLocalWorkspace } from '../../workspace/local-workspace.ts';
import { Conversation } from '../conversation.ts';
import { conversationDirectory } from '../store/location.ts';
import { type ReplaySource, replay } from './replay.ts';
import { storedReplaySource } from './replay-source.ts';

let runs = 0;

function factory(name: string, more: object = {}): ToolFactory {
  const tool = defineTool({
    name,
    kind: { tool: 'EchoTool', action: 'EchoAction', observation: 'EchoObservation' },
    description: 'says it again',
    input: z.object({ words: z.string(), times: z.number().optional() }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    run: async ({ words }: { words: string }) => {
      runs += 1;
      if (words === 'fail') throw new ToolError('it failed');
      return { content: [text(words)], is_error: false };
    },
    ...more,
  });
  return { name, create: () => [tool] };
}

/** Asks for room when it is told to. */
const asking = factory('echo', {
  run: async ({ words }: { words: string }, { requestCondensation }: { requestCondensation: () => void }) => {
    if (words === 'room') requestCondensation();
    return { content: [text(words)], is_error: false };
  },
});
const TOOLS = [factory('echo'), factory('finish', { endsRun: true })];
const AGENT = {
  llm: { model: 'scripted', usageId: 'agent' },
  tools: ['echo', 'finish'].map((name) => ({ name, params: {} })),
};
const call = (words: string, name = 'echo') => ({ name, arguments: { words, summary: 'says' } });

/** A conversation with everything in it that can come between a model and its tools. */
const TURNS: readonly ScriptedTurn[] = [
  { text: 'two at once', reasoning: 'hm', tool_calls: [call('one'), call('two')] },
  { tool_calls: [{ name: 'echo', arguments: '{"words": "cut' }, call('after a bad one')] },
  {
    tool_calls: [
      { name: 'ecko', arguments: { words: 'x' } },
      { name: 'echo', arguments: { wrods: 'x' } },
    ],
  },
  { tool_calls: [call('fail'), { name: 'echo', arguments: { words: 'typed', times: '3' as never } }] },
  { text: '' },
  {
    error: { code: 'LLMContentPolicyViolationError', message: 'refused' },
    text: 'put otherwise',
    tool_calls: [call('otherwise')],
  },
  { tool_calls: [call('done', 'finish'), call('too late')] },
  { text: 'said in words' },
  { error: { code: 'LLMBadRequestError', message: 'no more', times: 9 } },
];

/** A conversation that is stored, and what it is driven again from when it is closed. */
async function stored(t: TestContext, llm: LLM) {
  const conversationsDir = mkdtempSync(join(tmpdir(), 'longhand-replay-'));
  t.after(() => rmSync(conversationsDir, { recursive: true, force: true }));
  const conversation = await Conversation.open({
    agent: AGENT,
    model: { llm },
    tools: TOOLS,
    workspace: openLocalWorkspace(conversationsDir),
    place: { conversationsDir, durability: 'process' },
  });
  const source = () => storedReplaySource(conversationDirectory(conversationsDir, conversation.id));
  return { conversation, source };
}

async function recorded(t: TestContext, wrap: (llm: LLM) => LLM = (llm) => llm): Promise<ReplaySource> {
  const { conversation, source } = await stored(t, wrap(scriptedLlm({ turns: TURNS })));
  await conversation.send('go');
  assert.equal((await conversation.run()).kind, 'finished');
  await conversation.send('and now?');
  assert.equal((await conversation.run()).kind, 'finished');
  await conversation.send('more');
  assert.equal((await conversation.run()).kind, 'error');
  await conversation.close();
  return await source();
}

async function isDrivenAgain(source: ReplaySource): Promise<void> {
  const report = await replay(source, { tools: TOOLS, strict: true });
  assert.deepEqual(report, { reproduced: source.events.length, recorded: source.events.length });
}

test('a conversation is replayed from its log, byte for byte, without running a tool', async (t) => {
  const source = await recorded(t);
  const before = runs;
  const report = await replay(source, { tools: TOOLS, strict: true });
  assert.equal(report.difference, undefined);
  assert.equal(report.reproduced, source.events.length);
  assert.equal(runs, before);
});

test('an interrupt and a pause are replayed where they occurred', async (t) => {
  const interrupting = (llm: LLM): LLM => ({
    ...llm,
    complete: async (prompt, options) => {
      if (prompt.messages.length < 6) return await llm.complete(prompt, options);
      current?.interrupt();
      options.signal.throwIfAborted();
      throw new LLMError('LLMError', 'not interrupted');
    },
  });
  let current: Conversation | undefined;
  const { conversation, source: closed } = await stored(t, interrupting(scriptedLlm({ turns: TURNS })));
  current = conversation;
  await current.send('go');
  current.subscribe({
    onEvent: (event) => {
      if (event.kind === 'ObservationEvent' && event.tool_call_id === 'call_0_1') current?.pause();
    },
  });
  assert.equal((await current.run()).kind, 'paused');
  assert.equal((await current.run()).kind, 'interrupted');
  await current.close();
  const source = await closed();
  await isDrivenAgain(source);
});

test('a message sent during a request is stored before the answer, and sent with the next request', async (t) => {
  const script = scriptedLlm({
    turns: [{ tool_calls: [call('x')] }, { text: 'done' }, { tool_calls: [call('also that', 'finish')] }],
  });
  let asked = 0;
  const llm: LLM = {
    ...script,
    complete: async (prompt, options) => {
      asked += 1;
      if (asked < 3) await conversation.send(`and ${asked}`);
      return await script.complete(prompt, options);
    },
  };
  const { conversation, source: closed } = await stored(t, llm);
  await conversation.send('go');
  assert.deepEqual(await conversation.run(), { kind: 'finished', message: 'also that' });
  await conversation.close();
  const source = await closed();
  await isDrivenAgain(source);
});

for (const [name, first] of [
  ['words', [{ text: 'done' }]],
  ['a call', [{ tool_calls: [call('done', 'finish'), call('too late')] }]],
  ['an error', [{ error: { code: 'LLMBadRequestError', message: 'no', times: 1 }, text: 'unused' }]],
  ['a circle', [0, 1, 2, 3].map(() => ({ tool_calls: [call('again')] }))],
] as const satisfies readonly (readonly [string, readonly ScriptedTurn[]])[]) {
  test(`a run of several steps after one that ended with ${name} is replayed`, async (t) => {
    const more: readonly ScriptedTurn[] = [
      { tool_calls: [call('x')] },
      { tool_calls: [call('y')] },
      { text: 'ok' },
    ];
    const failed = name === 'an error';
    const { conversation, source: closed } = await stored(
      t,
      scriptedLlm({ turns: failed ? [{ ...more[0], ...first[0] }, ...more.slice(1)] : [...first, ...more] }),
    );
    await conversation.send('go');
    assert.equal(
      (await conversation.run()).kind,
      failed ? 'error' : name === 'a circle' ? 'stuck' : 'finished',
    );
    await conversation.send('and that');
    assert.deepEqual(await conversation.run(), { kind: 'finished', message: 'ok' });
    await conversation.close();
    const source = await closed();
    await isDrivenAgain(source);
  });
}

test('a condensation that a tool requested is replayed where it was made', async (t) => {
  const forgetting: Condenser = {
    handlesRequests: true,
    condense: async ({ events, condensationRequested }) =>
      condensationRequested
        ? {
            kind: 'condensation',
            condensation: {
              forgotten_event_ids: events.slice(2, 4).map(({ id }) => id),
              summary: 's',
              summary_offset: 2,
              llm_response_id: 'c',
            },
          }
        : KEEP,
  };
  const turns = [call('x'.repeat(1_000)), call('room'), call('done', 'finish')].map((each, i) => ({
    tool_calls: [{ ...each, id: `call ${i}` }],
  }));
  let asked = 0;
  const llm: LLM = {
    ...scriptedLlm({ turns }),
    // What is forgotten is no turn that was not played.
    complete: async (prompt, options) => {
      const turn = scriptedLlm({ turns: turns.slice(asked) });
      asked += 1;
      return { ...(await turn.complete({ ...prompt, messages: [] }, options)), id: `answer ${asked}` };
    },
  };
  const conversation = await Conversation.open({
    agent: AGENT,
    model: { llm },
    tools: [asking, TOOLS[1]!],
    workspace: openLocalWorkspace(tmpdir()),
    standIns: { condenser: forgetting },
  });
  t.after(() => conversation.close());
  await conversation.send('go');
  await conversation.run();
  const events = [...conversation.log.read()].flatMap(([, event]) =>
    event.kind === 'ConversationStateUpdateEvent' ? [] : [event],
  );
  assert.ok(events.some(({ kind, source }) => kind === 'CondensationRequest' && source === 'agent'));
  const source = { id: conversation.id, events, agent: AGENT, workingDir: tmpdir() };
  const report = await replay(source, { tools: TOOLS, strict: true });
  assert.deepEqual(report, { reproduced: events.length, recorded: events.length });
});

test('runs with different limits are replayed, each with what the model was told of them', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-replay-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const turns = [
    ...['a', 'b', 'c'].map((word) => ({ tool_calls: [call(word)] })),
    { text: 'ok' },
    { text: 'more' },
  ];
  const session = async (maxIterations: number, id?: string) => {
    const conversation = await Conversation.open({
      agent: AGENT,
      model: { llm: scriptedLlm({ turns }) },
      tools: TOOLS,
      workspace: openLocalWorkspace(folder),
      limits: { maxIterations },
      place: { conversationsDir: folder, durability: 'process', id },
    });
    await conversation.send('go');
    const { kind } = await conversation.run();
    await conversation.close();
    return { id: conversation.id, kind };
  };
  const { id, kind } = await session(8);
  assert.deepEqual([kind, (await session(2, id)).kind], ['finished', 'finished']);
  const source = await storedReplaySource(conversationDirectory(folder, id));
  assert.deepEqual(
    source.events.map((event) => (event.kind === 'MessageEvent' ? event.sender : undefined)).filter(Boolean),
    Array(2).fill(SENDERS.turnsLeft),
  );
  await isDrivenAgain(source);
});

test('a conversation that was killed in a call and continued by a message is replayed', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-replay-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const begun = Promise.withResolvers<void>();
  const hanging = factory('echo', {
    run: async (_: object, { signal }: { signal: AbortSignal }) => {
      begun.resolve();
      return await new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    },
  });
  const turns = [{ tool_calls: [call('x')] }, { tool_calls: [call('done', 'finish')] }];
  const open = (name: string, tools: ToolFactory[], id?: string) =>
    Conversation.open({
      agent: id === undefined ? AGENT : undefined,
      model: { llm: scriptedLlm({ turns }) },
      workspace: openLocalWorkspace(folder),
      place: { conversationsDir: join(folder, name), durability: 'process', id },
      tools,
    });
  const first = await open('killed', [hanging, TOOLS[1]!]);
  const { id } = first;
  await first.send('go');
  const running = first.run();
  await begun.promise;
  // What is on disk in the middle of a call is what a killed process leaves.
  for (const each of ['events', 'base_state.json'])
    cpSync(
      join(conversationDirectory(join(folder, 'killed'), id), each),
      join(conversationDirectory(join(folder, 'resumed'), id), each),
      { recursive: true },
    );
  first.interrupt();
  await running;
  await first.close();
  const second = await open('resumed', TOOLS, id);
  await second.send('look again');
  assert.deepEqual(await second.run(), { kind: 'finished', message: 'done' });
  await second.close();
  const source = await storedReplaySource(conversationDirectory(join(folder, 'resumed'), id));
  const report = await replay(source, { tools: TOOLS, strict: true });
  assert.deepEqual([report.difference, report.reproduced], [undefined, source.events.length]);
});

test('a condensation that the user requested is replayed where it was made', async (t) => {
  const conversationsDir = mkdtempSync(join(tmpdir(), 'longhand-replay-'));
  t.after(() => rmSync(conversationsDir, { recursive: true, force: true }));
  const forgetting: Condenser = {
    handlesRequests: true,
    condense: async ({ events, condensationRequested }) => {
      const forgotten = events.slice(2, -1).map(({ id }) => id);
      if (!condensationRequested || forgotten.length === 0) return KEEP;
      const condensation = { forgotten_event_ids: forgotten, llm_response_id: 'none' };
      return { kind: 'condensation', condensation };
    },
  };
  const conversation = await Conversation.open({
    agent: AGENT,
    model: { llm: scriptedLlm({ turns: [{ text: 'one' }, { text: 'two' }, { text: 'three' }] }) },
    tools: TOOLS,
    standIns: { condenser: forgetting },
    workspace: openLocalWorkspace(conversationsDir),
    place: { conversationsDir, durability: 'process' },
  });
  assert.equal(await conversation.condense(), false);
  for (const words of ['first', 'second', 'third']) {
    await conversation.send(words);
    assert.equal((await conversation.run()).kind, 'finished');
    if (words !== 'first') assert.equal(await conversation.condense(), true);
  }
  assert.equal(await conversation.condense(), false);
  await conversation.close();
  const source = await storedReplaySource(conversationDirectory(conversationsDir, conversation.id));
  await isDrivenAgain(source);
});

test('the first difference is reported: where the engine would act differently now', async (t) => {
  const source = await recorded(t);
  const events = source.events.map((event) =>
    event.kind === 'ActionEvent' && event.tool_call_id === 'call_3_0'
      ? { ...event, summary: 'otherwise' }
      : event,
  );
  const { difference, reproduced } = await replay({ ...source, events }, { tools: TOOLS, strict: true });
  const at = events.findIndex((event) => event.kind === 'ActionEvent' && event.summary === 'otherwise');
  assert.deepEqual(difference, { event: at, path: 'summary', recorded: 'otherwise', made: 'says' });
  assert.equal(reproduced, at);
});

test('unless strict, another version of a tool’s description is not a difference', async (t) => {
  const source = await recorded(t);
  const events = source.events.map((event) =>
    event.kind === 'SystemPromptEvent'
      ? { ...event, tools: event.tools.map((tool) => ({ ...tool, description: 'older words' })) }
      : event,
  );
  const strict = await replay({ ...source, events }, { tools: TOOLS, strict: true });
  assert.equal(strict.difference?.path, 'tools[0].description');
  assert.equal((await replay({ ...source, events }, { tools: TOOLS, strict: false })).difference, undefined);
});

test('a strict replay compares the messages of each request; a folder without a record of them is compared by its events', async (t) => {
  const { conversation, source } = await stored(t, scriptedLlm({ turns: TURNS }));
  await conversation.send('go');
  await conversation.run();
  await conversation.close();
  await isDrivenAgain(await source());
  const file = join(conversation.directory ?? '', 'requests.jsonl');
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const line = JSON.parse(lines[2] ?? '');
  writeFileSync(
    file,
    [...lines.slice(0, 2), JSON.stringify({ ...line, messages: ['0123456789abcdef'] })].join('\n'),
  );
  const changed = await source();
  const { difference, reproduced } = await replay(changed, { tools: TOOLS, strict: true });
  assert.equal(difference?.path, `request.messages[${line.keep}]`);
  assert.equal(difference?.recorded, '0123456789abcdef');
  assert.equal(changed.events[reproduced - 1]?.id, line.at);
  assert.equal((await replay(changed, { tools: TOOLS, strict: false })).difference, undefined);
  rmSync(file);
  await isDrivenAgain(await source());
});

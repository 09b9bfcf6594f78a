import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import * as z from 'zod';
import { text } from '../../event/content.ts';
import { LLMError } from '../../llm/errors.ts';
import type { LLM } from '../../llm/llm.ts';
import { type ScriptedTurn, scriptedLlm } from '../../llm/playback/scripted-llm.ts';
import { adaptTools } from '../../tool/adapters/adapt-tool.ts';
import { defineTool } from '../../tool/define-tool.ts';
import { ToolError, type ToolFactory } from '../../tool/tool.ts';
import { openLocalWorkspace } from '../../workspace/local-workspace.ts';
import { Conversation } from '../conversation.ts';
import { conversationDirectory } from '../store/location.ts';
import { replay } from './replay.ts';
import { storedReplaySource } from './replay-source.ts';

let runs = 0;

const counted = defineTool({
  name: 'count_words',
  description: 'Counts words.',
  input: z.object({ words: z.string(), from: z.number().default(1), summary: z.string().optional() }),
  annotations: { title: 'Word counter', readOnlyHint: true },
  run: async ({ words }) => {
    runs += 1;
    if (words === '') throw new ToolError('nothing to count');
    return `${words.split(' ').length}`;
  },
});

const done = defineTool({
  name: 'done',
  description: 'Ends it.',
  input: z.object({ words: z.string() }),
  endsRun: true,
  run: async ({ words }) => words,
});

/** Two tools under a name that neither has. */
const pair: ToolFactory = {
  name: 'a_pair',
  create: () =>
    ['first_of_two', 'second_of_two'].map((name) =>
      defineTool({
        name,
        description: name,
        input: z.object({}),
        annotations: name === 'first_of_two' ? { title: 'One' } : {},
        run: async () => ({ content: [text(name)], is_error: false }),
      }),
    ),
};

const adapted = () =>
  adaptTools({
    web_search: {
      description: 'Searches.',
      parameters: {
        type: 'object',
        properties: {
          query: { type: 'string' },
          kind: { type: 'string' },
          limit: { type: ['number', 'null'] },
        },
        required: ['query'],
      },
      execute: async ({ query }: { query: string }) => {
        runs += 1;
        return `found ${query}`;
      },
    },
    sleep: {
      description: 'Waits.',
      parameters: { type: 'object', properties: {} },
      execute: async () => 'waited',
    },
  });

async function record(
  t: TestContext,
  tools: readonly ToolFactory[],
  turns: readonly ScriptedTurn[],
  drive: (conversation: Conversation) => Promise<void>,
  wrap: (llm: LLM) => LLM = (llm) => llm,
) {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-recorded-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const conversation = await Conversation.open({
    agent: {
      llm: { model: 'scripted', usageId: 'agent' },
      condenser: { type: 'noop' },
      tools: tools.map(({ name }) => ({ name, params: {} })),
    },
    model: { llm: wrap(scriptedLlm({ turns })) },
    tools,
    workspace: openLocalWorkspace(folder),
    place: { conversationsDir: folder, durability: 'process' },
  });
  await drive(conversation);
  await conversation.close();
  return await storedReplaySource(conversationDirectory(folder, conversation.id));
}

const call = (name: string, args: { readonly [key: string]: unknown }) => ({ name, arguments: args });

test('replay: tools that only the record knows come from its system prompt, and none runs', async (t) => {
  const source = await record(
    t,
    [counted, ...(await adapted()), pair, done],
    [
      { tool_calls: [call('count_words', { words: 'a b', summary: 'its own' }), call('sleep', {})] },
      {
        tool_calls: [
          call('web_search', { query: 'x', kind: 'news', limit: null, summary: 'looks' }),
          call('web_search', { kind: 'no query' }),
          call('count_words', { wrods: 'a' }),
        ],
      },
      { tool_calls: [call('count_words', { words: '' }), call('second_of_two', {}), call('no_such', {})] },
      { tool_calls: [call('done', { words: 'over' })] },
      { text: 'and more' },
    ],
    async (conversation) => {
      await conversation.send('go');
      assert.equal((await conversation.run()).kind, 'finished');
      await conversation.send('on');
      assert.equal((await conversation.run()).kind, 'finished');
    },
  );
  const before = runs;
  const report = await replay(source, { tools: [], strict: true });
  assert.deepEqual(report.difference, undefined);
  assert.equal(report.reproduced, source.events.length);
  assert.equal(runs, before);
  const mixed = await replay(source, { tools: [done, counted], strict: true });
  assert.deepEqual(mixed.difference, undefined);
});

test('replay: a run that was paused before its first step, and again, is repeated', async (t) => {
  const source = await record(
    t,
    [done],
    [{ tool_calls: [call('done', { words: 'x' })] }],
    async (conversation) => {
      await conversation.send('go');
      for (const _ of [1, 2]) {
        const running = conversation.run();
        conversation.pause();
        assert.equal((await running).kind, 'paused');
      }
      assert.equal((await conversation.run()).kind, 'finished');
    },
  );
  assert.equal(source.events.filter(({ kind }) => kind === 'PauseEvent').length, 2);
  const report = await replay(source, { tools: [], strict: true });
  assert.deepEqual([report.difference, report.reproduced], [undefined, source.events.length]);
});

test('replay: an overflow that nothing could condense ends the run as it did', async (t) => {
  const overflowing = (llm: LLM): LLM => ({
    ...llm,
    complete: async () => {
      throw new LLMError('LLMContextWindowExceedError', 'prompt is too long');
    },
  });
  const source = await record(
    t,
    [done],
    [],
    async (conversation) => {
      await conversation.send('go');
      assert.equal((await conversation.run()).kind, 'error');
    },
    overflowing,
  );
  const report = await replay(source, { tools: [], strict: true });
  assert.deepEqual([report.difference, report.reproduced], [undefined, source.events.length]);
});

test('replay: events that are not on the active branch and bookkeeping are counted', async (t) => {
  const source = await record(t, [done], [{ text: 'one' }, { text: 'two' }], async (conversation) => {
    await conversation.send('go');
    await conversation.run();
    await conversation.send('other');
    await conversation.run();
    await conversation.navigate(conversation.log.at(0)?.id ?? null);
    await conversation.send('instead');
  });
  const report = await replay(source, { tools: [], strict: true });
  assert.deepEqual([report.difference, report.reproduced, report.recorded], [undefined, 2, 2]);
  assert.equal(source.omitted?.otherBranches, 4);
  assert.ok((source.omitted?.bookkeeping ?? 0) > 0);
});

test('replay: a record that ends in the middle of a run is repeated to its end', async (t) => {
  const calls = [call('count_words', { words: 'a' }), call('count_words', { words: 'b' })];
  const turns = [{ tool_calls: calls }, { text: 'unseen' }];
  const source = await record(t, [counted, done], turns, async (conversation) => {
    await conversation.send('go');
    await conversation.run();
  });
  for (const length of source.events.keys()) {
    if (length < 2) continue;
    const report = await replay(
      { ...source, events: source.events.slice(0, length) },
      { tools: [], strict: true },
    );
    assert.deepEqual([length, report.difference, report.reproduced], [length, undefined, length]);
  }
});

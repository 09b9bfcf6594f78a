import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import * as z from 'zod';
import { openInMemory } from '../../../test-support/open-in-memory.ts';
import { SENDERS, senderOf } from '../../agent/sender.ts';
import { text } from '../../event/content.ts';
import { defineTool } from '../../tool/define-tool.ts';
import type { ToolContext } from '../../tool/tool.ts';
import type { OpenOptions } from '../open-options.ts';
import type { Notice } from '../state/status.ts';

const AGENT = { llm: { model: 'm' }, tools: [], systemPrompt: 's' };

/** A tool that does what the test says. */
const acting = (act: (context: ToolContext) => unknown) =>
  defineTool({
    name: 'act',
    description: 'd',
    input: z.object({ path: z.string().optional() }),
    run: async (_, context) => {
      await act(context);
      return 'acted';
    },
  });

/** A run of one call of such a tool, and then of words. */
async function acted(
  t: TestContext,
  act: (context: ToolContext) => unknown,
  more: Partial<OpenOptions> = {},
) {
  const { conversation, log } = await openInMemory(
    t,
    [{ tool_calls: [{ name: 'act', arguments: { path: 'a.txt' } }] }, { text: 'well done' }],
    { agent: { ...AGENT, tools: [{ name: 'act', params: {} }] }, tools: [acting(act)], ...more },
  );
  const notices: Notice[] = [];
  conversation.subscribe({ onNotice: (notice) => notices.push(notice) });
  await conversation.send([text('go'), { type: 'image', image_urls: ['data:one'], cache_prompt: false }]);
  const outcome = await conversation.run();
  const action = log().find(({ kind }) => kind === 'ActionEvent');
  return { conversation, log, notices, outcome, actionId: action?.id };
}

test('listeners hear of models and tools while they work, with secrets masked', async (t) => {
  const { notices, actionId } = await acted(
    t,
    ({ onOutput, onProgress }) => {
      onProgress('half');
      onOutput('the secret-key\n');
    },
    { recording: { secrets: ['secret-key'] } },
  );
  const tool = { toolName: 'act', actionId };
  const asked = [{ type: 'model-start' }, 'asked', 'answered', { type: 'model-end' }];
  assert.deepEqual(
    notices.map((notice) => (notice.type === 'model-call' ? notice.call.phase : notice)),
    [
      ...asked,
      { type: 'tool-start', ...tool },
      { type: 'tool-progress', toolName: 'act', text: 'half' },
      { type: 'tool-output', ...tool, text: 'the <secret-hidden>\n', omitted: 0 },
      ...asked,
    ],
  );
});

test('a tool sees its conversation', async (t) => {
  let seen: unknown;
  const { conversation, outcome } = await acted(
    t,
    async ({ conversation: { id, files, ...of }, workspace, isApproved }) => {
      const refused = (work: Promise<unknown>) => work.catch(({ message }: Error) => message);
      const { usageId } = await of.llm('judge');
      const { content } = await of.skill('known');
      const refusals = [
        await refused(of.useModel('none')),
        await refused(of.llm('judge', 'none')),
        await refused(of.skill('none')),
      ];
      seen = { id, files, usageId, content, refusals, images: of.images(), root: workspace.root, isApproved };
    },
    {
      standIns: {
        knowledge: {
          staticPrompt: async () => [],
          dynamicContext: async () => [],
          forMessage: async () => ({ names: [], content: [] }),
          offered: async () => [{ name: 'known', content: 'skilful' } as never],
          forPath: async () => ({ names: [], content: [] }),
        },
      },
    },
  );
  assert.deepEqual(seen, {
    id: conversation.id,
    files: null,
    usageId: 'judge',
    content: 'skilful',
    refusals: [
      'There is no model profile "none".',
      'There is no model profile "none".',
      'There is no skill "none". Available skills: known.',
    ],
    images: ['data:one'],
    root: '/',
    isApproved: false,
  });
  assert.deepEqual(outcome, { kind: 'finished', message: 'well done' });
});

test('a tool cannot delegate to an agent that is unknown', async (t) => {
  let refusal = '';
  await acted(t, async ({ conversation, signal }) => {
    const work = { agent: 'nobody', prompt: 'p', signal, onProgress: () => undefined };
    refusal = await conversation.delegate(work).then(String, ({ name }: Error) => name);
  });
  assert.equal(refusal, 'ToolError');
});

test('an approved call runs as approved', async (t) => {
  const approved: boolean[] = [];
  const { conversation, outcome } = await acted(t, ({ isApproved }) => approved.push(isApproved), {
    oversight: { confirmation: { kind: 'AlwaysConfirm' } },
  });
  assert.deepEqual([outcome.kind, approved], ['waiting', []]);
  await conversation.approve();
  assert.deepEqual([(await conversation.run()).kind, approved], ['finished', [true]]);
});

test('knowledge about a file is added to the first result that concerns it', async (t) => {
  const asked: unknown[] = [];
  const { log, conversation } = await acted(t, () => undefined, {
    standIns: {
      knowledge: {
        staticPrompt: async () => [],
        dynamicContext: async () => [],
        forMessage: async () => ({ names: [], content: [] }),
        offered: async () => [],
        forPath: async (path, told) => {
          asked.push([path, [...told]]);
          return { names: ['rule'], content: [text('be careful')] };
        },
      },
    },
  });
  const result = log().find((event) => event.kind === 'ObservationEvent');
  assert.deepEqual(result?.extended_content, [text('be careful')]);
  assert.deepEqual(asked, [['a.txt', []]]);
  assert.deepEqual(conversation.state.activatedPathRules, ['rule']);
});

test('onlookers see the calls and the end of a run; without them nothing is asked', async (t) => {
  const seen: unknown[] = [];
  await acted(t, () => seen.push('acted'), {
    standIns: {
      onlookers: {
        on: async (event, { toolName }) => {
          seen.push([event, toolName]);
          return { events: [], additionalContext: [] };
        },
        close: async () => undefined,
      },
    },
  });
  assert.deepEqual(
    seen.filter((each) => each === 'acted' || /Tool|Stop/.test(String(each))),
    [['PreToolUse', 'act'], 'acted', ['PostToolUse', 'act'], ['Stop', undefined]],
  );
});

test('stand-ins replace the execution of calls, and how the tools have changed', async (t) => {
  const changes = [null, 'a tool is new'];
  const { log } = await acted(t, () => assert.fail('it was executed'), {
    standIns: {
      toolChange: () => (changes.length > 1 ? (changes.shift() ?? null) : (changes.pop() ?? null)),
      execute: async ({ id, tool_call_id, tool_name }) => ({
        source: 'environment',
        tool_name,
        tool_call_id,
        observation: { content: [text('replaced')], is_error: false, kind: 'ActObservation' },
        action_id: id,
        extended_content: [],
        kind: 'ObservationEvent',
      }),
    },
  });
  assert.ok(JSON.stringify(log()).includes('replaced'));
  const told = log().filter(
    (event) => event.kind === 'MessageEvent' && senderOf(event) === SENDERS.toolsChanged,
  );
  assert.equal(told.length, 1);
});

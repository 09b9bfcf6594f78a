import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import * as z from 'zod';
import { text } from '../../event/content.ts';
import type { Event } from '../../event/kinds.ts';
import { type ScriptedTurn, scriptedLlm } from '../../llm/playback/scripted-llm.ts';
import { defineTool } from '../../tool/define-tool.ts';
import { type Condenser, KEEP } from '../../view/condensers/condenser.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { Conversation } from '../conversation.ts';
import type { OpenOptions } from '../open-options.ts';

const run = ({ words }: { words: string }) => words;
const input = z.object({ words: z.string() });
const echo = defineTool({ name: 'echo', description: 'd', input, run });
const finish = defineTool({ name: 'finish', description: 'd', input, run, endsRun: true });
const call = (words: string, name = 'echo') => ({ name, arguments: { words } });

async function open(t: TestContext, turns: readonly ScriptedTurn[], more: Partial<OpenOptions> = {}) {
  const workspace = { root: '/', platform: 'linux', close: async () => undefined } as Partial<Workspace>;
  const conversation = await Conversation.open({
    agent: {
      llm: { model: 'm' },
      tools: ['echo', 'finish'].map((name) => ({ name, params: {} })),
      systemPrompt: 's',
    },
    tools: [echo, finish],
    workspace: workspace as Workspace,
    model: { llm: scriptedLlm({ turns }) },
    ...more,
    standIns: { knowledge: NOTHING_KNOWN, ...more.standIns },
  });
  t.after(() => conversation.close());
  const log = () => [...conversation.log.read()].map(([, event]) => event);
  return { conversation, log };
}

const NOTHING_KNOWN = {
  staticPrompt: async () => [],
  dynamicContext: async () => [],
  forMessage: async () => ({ names: [], content: [] }),
  offered: async () => [],
  forPath: async () => ({ names: [], content: [] }),
};

const status = (event: Event) =>
  event.kind === 'ConversationStateUpdateEvent' && event.key === 'execution_status' ? [event.value] : [];
const results = (events: readonly Event[]) =>
  events.flatMap((event) =>
    event.kind === 'ObservationEvent' || event.kind === 'AgentErrorEvent' ? [event.tool_call_id] : [],
  );

test('each call behind finish has a result event in the log, and the next run does not execute it', async (t) => {
  const { conversation, log } = await open(t, [
    { tool_calls: [call('end', 'finish'), call('late'), call('later')] },
    { text: 'nothing more' },
  ]);
  await conversation.send('go');
  assert.deepEqual(await conversation.run(), { kind: 'finished', message: 'end' });
  assert.deepEqual(results(log()), ['call_0_0', 'call_0_1', 'call_0_2']);
  assert.deepEqual(conversation.view.openActions(), []);
  await conversation.send('and now?');
  assert.deepEqual(await conversation.run(), { kind: 'finished', message: 'nothing more' });
  assert.equal(results(log()).length, 3);
});

test('what ends a run is the last that it writes', async (t) => {
  const cases: readonly (readonly [Partial<OpenOptions>, readonly ScriptedTurn[], string, string])[] = [
    [{}, [{ text: 'done' }], 'finished', 'finished'],
    [{ limits: { maxIterations: 1 } }, [{ tool_calls: [call('a')] }], 'limit', 'error'],
    [{}, [], 'error', 'error'],
    [
      { oversight: { confirmation: { kind: 'AlwaysConfirm' } } },
      [{ tool_calls: [call('a')] }],
      'waiting',
      'waiting_for_confirmation',
    ],
    [{}, Array(4).fill({ tool_calls: [call('a')] }), 'stuck', 'stuck'],
  ];
  for (const [more, turns, kind, last] of cases) {
    const { conversation, log } = await open(t, turns, more);
    await conversation.send('go');
    assert.equal((await conversation.run()).kind, kind);
    assert.deepEqual(status(log().at(-1) as Event), [last]);
  }
});

test('a condenser that would forget the system prompt does not get its way: every request begins with it', async (t) => {
  const forgetful: Condenser = {
    handlesRequests: true,
    condense: async ({ events }) =>
      events.length < 4
        ? KEEP
        : {
            kind: 'condensation',
            condensation: {
              forgotten_event_ids: events.slice(0, -1).map(({ id }) => id),
              llm_response_id: 'c',
            },
          },
  };
  const prompts: string[] = [];
  const { conversation } = await open(
    t,
    [{ tool_calls: [call('x'.repeat(5_000))] }, { text: 'a' }, { text: 'b' }],
    {
      standIns: { condenser: forgetful },
      recording: { onPrompt: ({ messages }) => prompts.push(messages[0]?.role ?? '') },
    },
  );
  await conversation.send('go');
  await conversation.run();
  assert.ok(conversation.view.events.length < 5);
  assert.deepEqual(new Set(prompts), new Set(['system']));
});

test('secrets are masked in what is stored, the longest first', async (t) => {
  const { conversation, log } = await open(t, [{ text: 'the key is secret-key-long' }], {
    recording: { secrets: ['secret-key', 'secret-key-long'] },
  });
  await conversation.send([text('use secret-key-long and secret-key')]);
  await conversation.run();
  const stored = JSON.stringify(log());
  assert.doesNotMatch(stored, /secret-key|-long/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, openInMemory as open, statusesIn } from '../../../test-support/open-in-memory.ts';
import { text } from '../../event/content.ts';
import type { Event } from '../../event/kinds.ts';
import type { ScriptedTurn } from '../../llm/playback/scripted-llm.ts';
import { type Condenser, KEEP } from '../../view/condensers/condenser.ts';
import type { OpenOptions } from '../open-options.ts';

const results = (events: readonly Event[]) =>
  events.flatMap((event) =>
    event.kind === 'ObservationEvent' || event.kind === 'AgentErrorEvent' ? [event.tool_call_id] : [],
  );

test('each call after finish has a result event in the log, and the next run does not execute it', async (t) => {
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

test('the event that ends a run is the last that it writes', async (t) => {
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
    assert.deepEqual(statusesIn(log().slice(-1)), [last]);
  }
});

test('a condenser cannot forget the system prompt: every request begins with it', async (t) => {
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
      limits: { maxIterations: 30 },
      recording: { onPrompt: ({ messages }) => prompts.push(messages[0]?.role ?? '') },
    },
  );
  await conversation.send('go');
  await conversation.run();
  assert.ok(conversation.view.events.length < 8);
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

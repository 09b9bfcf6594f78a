import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, openInMemory, statusesIn } from '../../test-support/open-in-memory.ts';
import { text } from '../event/content.ts';
import type { Event } from '../event/kinds.ts';
import { scriptedLlm } from '../llm/playback/scripted-llm.ts';

const confirming = { oversight: { confirmation: { kind: 'AlwaysConfirm' } } } as const;
const results = (events: readonly Event[]) =>
  events.flatMap((event) => ('tool_call_id' in event && event.kind !== 'ActionEvent' ? [event.kind] : []));

test('approved calls are executed by the next run; until then the conversation is idle', async (t) => {
  const turns = [{ tool_calls: [call('a'), call('b')] }, { text: 'done' }];
  const { conversation, log } = await openInMemory(t, turns, confirming);
  await conversation.send('go');
  assert.deepEqual(await conversation.run(), { kind: 'waiting' });
  assert.equal(conversation.state.status, 'waiting_for_confirmation');
  assert.deepEqual(await conversation.run(), { kind: 'waiting' });
  await conversation.approve();
  assert.equal(conversation.state.status, 'idle');
  assert.deepEqual(results(log()), []);
  assert.deepEqual(await conversation.run(), { kind: 'finished', message: 'done' });
  assert.deepEqual(results(log()), ['ObservationEvent', 'ObservationEvent']);
});

test('rejected calls are answered with the reason, and the conversation is idle', async (t) => {
  const turns = [{ tool_calls: [call('a'), call('b')] }, { text: 'done' }];
  const { conversation, log } = await openInMemory(t, turns, confirming);
  await conversation.send('go');
  await conversation.run();
  await conversation.reject('too risky');
  assert.equal(conversation.state.status, 'idle');
  assert.deepEqual(results(log()), ['UserRejectObservation', 'UserRejectObservation']);
  const shown = conversation.view.messages().filter(({ role }) => role === 'tool');
  for (const { content } of shown) assert.match(JSON.stringify(content), /too risky/);
  assert.deepEqual(await conversation.run(), { kind: 'finished', message: 'done' });
});

test('approving or rejecting when nothing is waiting changes no status', async (t) => {
  const { conversation, log } = await openInMemory(t, [{ text: 'done' }]);
  await conversation.send('go');
  await conversation.run();
  const length = log().length;
  await conversation.approve();
  await conversation.reject();
  assert.equal(conversation.state.status, 'finished');
  assert.equal(log().length, length);
});

test('an empty message is refused, and nothing is stored', async (t) => {
  const { conversation, log } = await openInMemory(t, []);
  for (const empty of ['', ' \n', []]) await assert.rejects(conversation.send(empty), TypeError);
  assert.deepEqual(log(), []);
});

test('a message is stored with its sender, which the model does not see', async (t) => {
  const { conversation, log } = await openInMemory(t, [{ text: 'done' }]);
  await conversation.send([text('go')], { sender: 'alice' });
  const [stored] = log().filter(({ kind }) => kind === 'MessageEvent');
  assert.equal(stored?.kind === 'MessageEvent' && stored.sender, 'alice');
  assert.doesNotMatch(JSON.stringify(conversation.view.messages()), /alice/);
});

test('only a message to a finished or stuck conversation makes it idle', async (t) => {
  const finished = await openInMemory(t, [{ text: 'done' }]);
  await finished.conversation.send('go');
  await finished.conversation.run();
  await finished.conversation.send('and that');
  assert.equal(finished.conversation.state.status, 'idle');

  const stuck = await openInMemory(t, Array(4).fill({ tool_calls: [call('again')] }));
  await stuck.conversation.send('go');
  assert.equal((await stuck.conversation.run()).kind, 'stuck');
  await stuck.conversation.send('try something else');
  assert.equal(stuck.conversation.state.status, 'idle');

  const waiting = await openInMemory(t, [{ tool_calls: [call('a')] }], confirming);
  await waiting.conversation.send('go');
  await waiting.conversation.run();
  await waiting.conversation.send('first a question');
  assert.equal(waiting.conversation.state.status, 'waiting_for_confirmation');
  assert.deepEqual(statusesIn(waiting.log()), ['running', 'waiting_for_confirmation']);
});

test('a skill is added to one message only, and the conversation remembers which were added', async (t) => {
  const asked: (readonly string[])[] = [];
  const knowledge = {
    staticPrompt: async () => [],
    dynamicContext: async () => [],
    forMessage: async (_: string, told: ReadonlySet<string>) => {
      asked.push([...told]);
      return told.has('testing')
        ? { names: [], content: [] }
        : { names: ['testing'], content: [text('test!')] };
    },
    offered: async () => [],
    forPath: async () => ({ names: [], content: [] }),
  };
  const { conversation, log } = await openInMemory(t, [], { standIns: { knowledge } });
  await conversation.send('one');
  await conversation.send('two');
  assert.deepEqual(asked, [[], ['testing']]);
  const messages = log().filter((event) => event.kind === 'MessageEvent');
  assert.deepEqual(
    messages.map((event) => [event.activated_skills, event.extended_content]),
    [
      [['testing'], [text('test!')]],
      [[], []],
    ],
  );
});

test('a run does not end before a message that is being sent has been answered', async (t) => {
  const held = Promise.withResolvers<void>();
  const knowledge = {
    staticPrompt: async () => [],
    dynamicContext: async () => [],
    forMessage: async (words: string) => {
      if (words === 'slow') await held.promise;
      return { names: [], content: [] };
    },
    offered: async () => [],
    forPath: async () => ({ names: [], content: [] }),
  };
  const script = scriptedLlm({ turns: [{ tool_calls: [call('a')] }, { text: 'both done' }] });
  let slow: Promise<void> | undefined;
  const prompts: string[] = [];
  const { conversation } = await openInMemory(
    t,
    {
      ...script,
      complete: (prompt, options) => {
        slow ??= conversation.send('slow');
        setTimeout(held.resolve, 20);
        prompts.push(JSON.stringify(prompt.messages));
        return script.complete(prompt, options);
      },
    },
    { standIns: { knowledge } },
  );
  await conversation.send('go');
  assert.deepEqual(await conversation.run(), { kind: 'finished', message: 'both done' });
  await slow;
  assert.deepEqual(
    prompts.map((prompt) => prompt.includes('slow')),
    [false, true],
  );
});

test('events of the engine’s own kinds cannot be recorded from outside', async (t) => {
  const { conversation, log } = await openInMemory(t, []);
  await assert.rejects(conversation.record({ source: 'user', kind: 'PauseEvent' }), TypeError);
  assert.deepEqual(log(), []);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, openInMemory, statusesIn } from '../../test-support/open-in-memory.ts';
import type { Event } from '../event/kinds.ts';

const FINISH = { tool_calls: [call('done', 'finish')] };
const endings = (events: readonly Event[]) =>
  events.filter(
    (event) =>
      event.source === 'user' && event.kind === 'ConversationStateUpdateEvent' && event.value === 'finished',
  ).length;

test('/exit ends a conversation as an event, and no model is asked', async (t) => {
  for (const words of ['/exit', ' /exit\n', [{ type: 'text' as const, text: '/exit' }]]) {
    const { conversation, log } = await openInMemory(t, []);
    await conversation.send(words);
    assert.deepEqual([conversation.state.status, endings(log())], ['finished', 1]);
    assert.equal((await conversation.run()).kind, 'finished');
    assert.deepEqual(
      log().map(({ kind }) => kind),
      ['ConversationStateUpdateEvent'],
    );
  }
});

test('the next message after /exit continues, and the model never sees /exit', async (t) => {
  const { conversation } = await openInMemory(t, [FINISH]);
  await conversation.send('/exit');
  await conversation.send('go');
  assert.deepEqual(await conversation.run(), { kind: 'finished', message: 'done' });
  assert.equal(JSON.stringify(conversation.view.messages()).includes('/exit'), false);
});

test('a message that only contains /exit goes to the model', async (t) => {
  const { conversation } = await openInMemory(t, [FINISH]);
  await conversation.send('what does /exit do?');
  assert.deepEqual(await conversation.run(), { kind: 'finished', message: 'done' });
});

test('/exit during a run ends it after the step in progress, and refuses calls that were not executed', async (t) => {
  const { conversation, log } = await openInMemory(t, [{ tool_calls: [call('one'), call('two')] }, FINISH]);
  conversation.subscribe({
    onEvent: ({ kind }) => {
      if (kind === 'ActionEvent') void conversation.send('/exit');
    },
  });
  await conversation.send('go');
  assert.deepEqual(await conversation.run(), { kind: 'finished', message: '' });
  assert.deepEqual([conversation.state.status, endings(log())], ['finished', 1]);
  assert.equal(conversation.view.openActions().length, 0);
  assert.equal(log().filter(({ kind }) => kind === 'UserRejectObservation').length, 2);
  assert.equal(log().filter(({ kind }) => kind === 'ObservationEvent').length, 0);
});

test('an automatic reply of /exit ends the run with what the agent said', async (t) => {
  const { conversation } = await openInMemory(t, [{ text: 'shall I?' }], {
    oversight: { autoContinue: '/exit' },
  });
  await conversation.send('go');
  assert.deepEqual(await conversation.run(), { kind: 'finished', message: 'shall I?' });
});

test('a message can start the run, and one that is sent while it works is taken up by it', async (t) => {
  const { conversation, log } = await openInMemory(t, [{ tool_calls: [call('one')] }, FINISH]);
  const ended = Promise.withResolvers<void>();
  conversation.subscribe({
    onEvent: (event) => {
      if (event.kind === 'ActionEvent' && event.tool_name === 'echo')
        void conversation.send('and this', { run: true });
      if (statusesIn([event])[0] === 'finished') ended.resolve();
    },
  });
  await conversation.send('go', { run: true });
  await ended.promise;
  assert.equal((await conversation.run()).kind, 'finished');
  assert.deepEqual(
    log().flatMap((event) => (event.kind === 'MessageEvent' ? [event.source] : [])),
    ['user', 'user'],
  );
});

test('a message that arrives while the run ends starts another one', async (t) => {
  const { conversation, log } = await openInMemory(t, [FINISH, FINISH]);
  const second = Promise.withResolvers<void>();
  let finished = 0;
  conversation.subscribe({
    onEvent: (event) => {
      if (statusesIn([event])[0] !== 'finished') return;
      finished += 1;
      if (finished === 1) void conversation.send('once more', { run: true });
      else second.resolve();
    },
  });
  await conversation.send('go', { run: true });
  await second.promise;
  assert.equal(log().filter(({ kind }) => kind === 'ActionEvent').length, 2);
});

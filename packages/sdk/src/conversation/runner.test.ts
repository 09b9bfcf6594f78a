import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, openInMemory, statusesIn } from '../../test-support/open-in-memory.ts';
import { LLMError } from '../llm/errors.ts';
import type { LLM } from '../llm/llm.ts';
import { scriptedLlm } from '../llm/playback/scripted-llm.ts';
import { type Condenser, KEEP } from '../view/condensers/condenser.ts';

/** A model that never answers, and ends with the abort. */
const endless: LLM = {
  ...scriptedLlm({ turns: [] }),
  complete: (_, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
};

test('two calls of run are one run', async (t) => {
  const { conversation, log } = await openInMemory(t, [{ text: 'done' }]);
  await conversation.send('go');
  const first = conversation.run();
  assert.equal(conversation.run(), first);
  await first;
  assert.deepEqual(statusesIn(log()), ['running', 'finished']);
});

test('a finished conversation stays finished, with its last words, and nothing is asked', async (t) => {
  const spoken = await openInMemory(t, [{ text: 'done' }]);
  await spoken.conversation.send('go');
  await spoken.conversation.run();
  const { length } = spoken.log();
  assert.deepEqual(await spoken.conversation.run(), { kind: 'finished', message: 'done' });
  assert.equal(spoken.log().length, length);

  const called = await openInMemory(t, [{ tool_calls: [call('the end', 'finish')] }]);
  await called.conversation.send('go');
  await called.conversation.run();
  assert.deepEqual(await called.conversation.run(), { kind: 'finished', message: 'the end' });
});

test('a closed conversation does not run', async (t) => {
  const { conversation } = await openInMemory(t, [{ text: 'done' }]);
  await conversation.send('go');
  await conversation.close();
  await assert.rejects(conversation.run(), /the conversation is closed/);
});

test('navigating makes a finished conversation idle; it may then run again', async (t) => {
  const { conversation, log } = await openInMemory(t, [{ text: 'done' }, { text: 'again' }]);
  await conversation.send('go');
  await conversation.run();
  const message = log().find(({ kind }) => kind === 'MessageEvent');
  await conversation.navigate(message?.id as string);
  assert.equal(conversation.state.status, 'idle');
  assert.equal(conversation.state.leafId, message?.id);
  assert.deepEqual(await conversation.run(), { kind: 'finished', message: 'done' });
  await conversation.navigate(null);
  assert.deepEqual([conversation.state.leafId, conversation.view.events.length], [null, 0]);
});

test('navigating to a call that has no result there answers it', async (t) => {
  const { conversation, log } = await openInMemory(t, [{ tool_calls: [call('a')] }, { text: 'done' }]);
  await conversation.send('go');
  await conversation.run();
  const action = log().find(({ kind }) => kind === 'ActionEvent');
  await conversation.navigate(action?.id as string);
  assert.deepEqual(conversation.view.openActions(), []);
  assert.equal(conversation.view.events.at(-1)?.kind, 'AgentErrorEvent');
});

test('navigating to an unknown event or during a run is refused', async (t) => {
  const { conversation } = await openInMemory(t, endless);
  await conversation.send('go');
  await assert.rejects(conversation.navigate('nowhere'), /the conversation has no event nowhere/);
  const running = conversation.run();
  await assert.rejects(conversation.navigate(null), /running: pause it before navigating/);
  await assert.rejects(conversation.condense(), /running: pause it before condensing/);
  conversation.interrupt();
  assert.deepEqual(await running, { kind: 'interrupted' });
});

test('an interrupted or paused conversation is paused, and the next run continues', async (t) => {
  const { conversation, log } = await openInMemory(t, [{ tool_calls: [call('a')] }, { text: 'done' }]);
  conversation.subscribe({
    onEvent: ({ kind }) => {
      if (kind === 'ObservationEvent') conversation.pause();
    },
  });
  await conversation.send('go');
  assert.deepEqual(await conversation.run(), { kind: 'paused' });
  assert.deepEqual(statusesIn(log()), ['running', 'paused']);
  assert.deepEqual(
    log()
      .slice(-2)
      .map(({ kind, source }) => [kind, source]),
    [
      ['PauseEvent', 'user'],
      ['ConversationStateUpdateEvent', 'environment'],
    ],
  );
  assert.deepEqual(await conversation.run(), { kind: 'finished', message: 'done' });

  const stopped = await openInMemory(t, endless);
  await stopped.conversation.send('go');
  const running = stopped.conversation.run();
  setTimeout(() => stopped.conversation.interrupt(), 5);
  assert.deepEqual(await running, { kind: 'interrupted' });
  assert.equal(stopped.log().at(-2)?.kind, 'InterruptEvent');
  assert.equal(stopped.log().at(-2)?.source, 'user');
  assert.equal(stopped.conversation.state.status, 'paused');
});

test('a run that takes too long is interrupted, and the outcome names the limit', async (t) => {
  const { conversation, log } = await openInMemory(t, endless, { limits: { maxTimeMs: 20 } });
  await conversation.send('go');
  const outcome = await conversation.run();
  assert.deepEqual(outcome, {
    kind: 'limit',
    code: 'MaxTimeReached',
    detail: 'The time of the run is up: 0.02 s.',
  });
  const error = log().find(({ kind }) => kind === 'ConversationErrorEvent');
  assert.deepEqual(error?.kind === 'ConversationErrorEvent' && [error.source, error.code], [
    'environment',
    'MaxTimeReached',
  ]);
});

test('a budget in USD is refused for a model without a price, unless that is allowed', async (t) => {
  const limits = { maxBudgetUsd: 1 };
  const { pricing: _, ...unpriced } = scriptedLlm({ turns: [{ text: 'done' }] });
  await assert.rejects(openInMemory(t, unpriced, { limits }), {
    name: 'LLMError',
    message: /the price of .* is unknown/,
  });
  const unknown: LLM = { ...unpriced, pricing: async () => null };
  await assert.rejects(openInMemory(t, unknown, { limits }), /is unknown/);
  await openInMemory(t, unpriced, { limits: { ...limits, allowUnpriced: true } });
});

test('an error of the model ends the run with its code, its detail and its remedy', async (t) => {
  const failing: LLM = {
    ...scriptedLlm({ turns: [] }),
    complete: async () => {
      throw new LLMError('LLMBadRequestError', 'no such model', { remedy: 'choose another' });
    },
  };
  const { conversation } = await openInMemory(t, failing);
  await conversation.send('go');
  const { cause, ...outcome } = (await conversation.run()) as { cause?: unknown };
  assert.ok(cause instanceof LLMError);
  assert.deepEqual(outcome, {
    kind: 'error',
    code: 'LLMBadRequestError',
    detail: 'no such model',
    remedy: 'choose another',
  });
});

test('errors of the program end the run under their own name', async (t) => {
  for (const [error, code, detail] of [
    [new RangeError('too far'), 'RangeError', 'too far'],
    ['just words', 'Error', 'just words'],
  ] as const) {
    const failing: LLM = {
      ...scriptedLlm({ turns: [] }),
      complete: async () => {
        throw error;
      },
    };
    const { conversation } = await openInMemory(t, failing);
    await conversation.send('go');
    assert.deepEqual(await conversation.run(), { kind: 'error', code, detail, cause: error });
  }
});

test('a request for a condensation is stored as the user’s; a condenser that cannot make room refuses it', async (t) => {
  const keeping: Condenser = { handlesRequests: true, condense: async () => KEEP };
  const { conversation, log } = await openInMemory(t, [], { standIns: { condenser: keeping } });
  await conversation.send('go');
  assert.equal(await conversation.condense(), false);
  assert.deepEqual(
    log().flatMap(({ kind, source }) => (kind === 'CondensationRequest' ? [source] : [])),
    ['user'],
  );
  const rigid = await openInMemory(t, [], {
    standIns: { condenser: { ...keeping, handlesRequests: false } },
  });
  await assert.rejects(rigid.conversation.condense(), /does not condense on request/);
});

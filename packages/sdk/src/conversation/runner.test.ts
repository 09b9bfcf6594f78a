import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { call, openInMemory, statusesIn } from '../../test-support/open-in-memory.ts';
import { text } from '../event/content.ts';
import { LLMError } from '../llm/errors.ts';
import type { LLM } from '../llm/llm.ts';
import { scriptedLlm } from '../llm/playback/scripted-llm.ts';
import { defineTool } from '../tool/define-tool.ts';
import type { Tool } from '../tool/tool.ts';
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

test('a request to pause counts for the run in progress only, and /exit takes precedence over it', async (t) => {
  const turns = [{ tool_calls: [call('a')] }, { text: 'done' }];
  const early = await openInMemory(t, turns);
  await early.conversation.send('go');
  early.conversation.pause();
  assert.deepEqual(await early.conversation.run(), { kind: 'finished', message: 'done' });

  const orders = [
    ['pause', 'exit'],
    ['exit', 'pause'],
  ] as const;
  for (const order of orders) {
    const { conversation } = await openInMemory(t, turns);
    const act = { pause: () => conversation.pause(), exit: () => void conversation.send('/exit') };
    conversation.subscribe({
      onEvent: ({ kind }) => {
        if (kind === 'ActionEvent') for (const each of order) act[each]();
      },
    });
    await conversation.send('go');
    assert.deepEqual(await conversation.run(), { kind: 'finished', message: '' }, order.join());
  }
});

test('after /exit the outcome has no words, and a message is answered in full', async (t) => {
  const { conversation } = await openInMemory(t, [{ tool_calls: [call('a')] }, { text: 'done' }]);
  await conversation.send('/exit');
  assert.deepEqual(await conversation.run(), { kind: 'finished', message: '' });
  await conversation.send('go');
  assert.deepEqual(await conversation.run(), { kind: 'finished', message: 'done' });
});

test('a message that starts a run does not continue one that is paused before it ends', async (t) => {
  const { conversation, log } = await openInMemory(t, [{ tool_calls: [call('a')] }, { text: 'done' }]);
  conversation.subscribe({
    onEvent: ({ kind }) => {
      if (kind !== 'ActionEvent') return;
      conversation.pause();
      void conversation.send('and this', { run: true });
    },
  });
  await conversation.send('go');
  assert.deepEqual(await conversation.run(), { kind: 'paused' });
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(statusesIn(log()), ['running', 'paused']);
});

test('a message starts no run unless it says so', async (t) => {
  const { conversation, log } = await openInMemory(t, [{ text: 'done' }]);
  await conversation.send('go');
  await conversation.send('go', { run: false });
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(statusesIn(log()), []);
});

/** The tool `echo`, with more; and the options that give it to the agent. */
function withTool(more: Partial<Tool>) {
  const [echo] = [
    defineTool({ name: 'echo', description: 'd', input: z.object({}).loose(), run: () => 'ok' }),
  ];
  return {
    agent: { llm: { model: 'm' }, tools: [{ name: 'echo', params: {} }] },
    tools: [{ name: 'echo', create: () => [{ ...echo, ...more }] }],
  };
}

test('tools are prepared while the first request is under way; one that cannot be is a warning', async (t) => {
  const prepared: unknown[] = [];
  const warnings: string[] = [];
  const options = withTool({
    prepare: (context) => {
      prepared.push(Object.keys(context));
      throw new Error('no room');
    },
  });
  const turns = [
    { tool_calls: [call('a')], delay_ms: 30 },
    { text: 'done', delay_ms: 30 },
  ];
  const { conversation } = await openInMemory(t, turns, options);
  conversation.subscribe({ onNotice: (notice) => notice.type === 'warning' && warnings.push(notice.text) });
  await conversation.send('go');
  assert.equal((await conversation.run()).kind, 'finished');
  assert.deepEqual(prepared, [['workspace']]);
  assert.deepEqual(warnings, ['the tool echo is not ready: Error: no room']);
});

test('after a run no timer is left: neither that of its limit nor that of preparing tools', async (t) => {
  let prepared = 0;
  const options = withTool({
    prepare: () => {
      prepared += 1;
    },
  });
  const timers = () => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;
  const { conversation } = await openInMemory(t, [{ text: 'done' }], {
    ...options,
    limits: { maxTimeMs: 60_000 },
  });
  await conversation.send('go');
  const before = timers();
  await conversation.run();
  assert.equal(timers(), before);
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.equal(prepared, 0);
});

test('an interrupt waits for a tool that takes its time to end, unless it abandons it', async (t) => {
  for (const abandon of [false, true]) {
    const begun = Promise.withResolvers<void>();
    const ends = Promise.withResolvers<string>();
    const options = withTool({
      run: async () => {
        begun.resolve();
        return { content: [text(await ends.promise)], is_error: false };
      },
    });
    const { conversation } = await openInMemory(t, [{ tool_calls: [call('a')] }], options);
    await conversation.send('go');
    const running = conversation.run();
    await begun.promise;
    conversation.interrupt({ abandon });
    const early = await Promise.race([running, new Promise((resolve) => setTimeout(resolve, 30))]);
    assert.deepEqual(early, abandon ? { kind: 'interrupted' } : undefined);
    ends.resolve('late');
    assert.deepEqual(await running, { kind: 'interrupted' });
  }
});

test('what a condenser has spent is in the log before condense() resolves', async (t) => {
  const condenser: Condenser = {
    handlesRequests: true,
    condense: async (_, { llm, signal }) => {
      const model = await llm();
      await model.complete({ messages: [{ role: 'user', content: [text('go')] }], tools: [] }, { signal });
      return KEEP;
    },
  };
  const { conversation, log } = await openInMemory(t, [{ text: 'one' }], { standIns: { condenser } });
  await conversation.send('go');
  assert.equal(await conversation.condense(), false);
  assert.deepEqual(
    log()
      .slice(-2)
      .map((event) => (event.kind === 'ConversationStateUpdateEvent' ? event.key : event.kind)),
    ['CondensationRequest', 'stats'],
  );
});

test('an interrupt names the user as its reason', async (t) => {
  const reasons: unknown[] = [];
  const condenser: Condenser = {
    handlesRequests: true,
    condense: (_, { signal }) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason);
          reject(signal.reason);
        }),
      ),
  };
  const { conversation } = await openInMemory(t, [], { standIns: { condenser } });
  await conversation.send('go');
  const condensing = conversation.condense();
  await new Promise((resolve) => setTimeout(resolve, 5));
  conversation.interrupt();
  await assert.rejects(condensing, { name: 'AbortError', message: 'interrupted by the user' });
  assert.equal(reasons.length, 1);
});

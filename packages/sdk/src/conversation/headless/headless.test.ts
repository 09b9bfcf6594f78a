import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, inMemory } from '../../../test-support/open-in-memory.ts';
import type { LLM } from '../../llm/llm.ts';
import { scriptedLlm } from '../../llm/playback/scripted-llm.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { type HeadlessConfig, runHeadless } from './headless.ts';

const FINISH = { tool_calls: [call('done', 'finish')] };
const confirming = { confirmation: { kind: 'AlwaysConfirm' } } as const;

/** The kinds of the results of calls, in order, and the outcome. */
async function resultsOf(turns: Parameters<typeof inMemory>[0], more: Partial<HeadlessConfig>) {
  const kinds: string[] = [];
  const { outcome } = await runHeadless({ ...inMemory(turns, more), ...more }, 'go', {
    subscribers: {
      all: (event) => {
        if ('tool_call_id' in event && event.kind !== 'ActionEvent') kinds.push(event.kind);
      },
    },
  });
  return [kinds, outcome] as const;
}

test('the result names the conversation, its outcome, its state and its cost', async () => {
  const usage = { prompt_tokens: 3, completion_tokens: 1 };
  const result = await runHeadless(inMemory([{ ...FINISH, usage }]), 'go');
  const { id, stats, ...rest } = result;
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.equal(stats.usage_to_metrics['agent']?.accumulated_token_usage.prompt_tokens, 3);
  assert.deepEqual(rest, {
    directory: null,
    outcome: { kind: 'finished', message: 'done' },
    state: 'finished',
  });
});

test('a signal that was aborted before opens nothing', async () => {
  let opened = false;
  const config = inMemory([FINISH]);
  const knowledge = config.standIns!.knowledge!;
  const watched = {
    ...knowledge,
    bringers: async () => {
      opened = true;
      return [];
    },
  };
  const signal = AbortSignal.abort(new Error('too late'));
  await assert.rejects(runHeadless({ ...config, standIns: { knowledge: watched } }, 'go', { signal }), {
    message: 'too late',
  });
  assert.equal(opened, false);
});

test('the result comes after every subscriber has handled all events', async () => {
  const told: string[] = [];
  let length = 0;
  await runHeadless(inMemory([FINISH]), 'go', {
    subscribers: {
      slow: async ({ kind }) => {
        await new Promise((resolve) => setTimeout(resolve, 2));
        told.push(kind);
      },
      quick: () => {
        length += 1;
      },
    },
  });
  assert.deepEqual([told[0], told.length], ['SystemPromptEvent', length]);
  assert.ok(told.includes('ObservationEvent'));
});

test('the conversation is closed when sending or running fails, and the error is passed on', async () => {
  for (const [task, message] of [
    ['', /an empty message/],
    ['go', /the disk is full/],
  ] as const) {
    let closed = 0;
    const workspace = {
      root: '/',
      platform: 'linux',
      close: async () => {
        closed += 1;
      },
    } as Partial<Workspace> as Workspace;
    const config = inMemory([FINISH], {
      workspace,
      standIns: {
        reword: (draft) => {
          if (draft.kind === 'ConversationStateUpdateEvent' && task === 'go')
            throw new Error('the disk is full');
          return draft;
        },
      },
    });
    await assert.rejects(runHeadless(config, task), message);
    assert.equal(closed, 1);
  }
});

test('a signal ends the run; it is not listened to afterwards', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  let listening = 0;
  const counted = new Proxy(signal, {
    get: (target, key) => {
      if (key === 'addEventListener') listening += 1;
      if (key === 'removeEventListener') listening -= 1;
      const value = Reflect.get(target, key) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const endless: LLM = {
    ...scriptedLlm({ turns: [] }),
    complete: (_, { signal: aborted }) =>
      new Promise((_resolve, reject) => {
        aborted.addEventListener('abort', () => reject(aborted.reason));
        controller.abort();
      }),
  };
  const { outcome, state } = await runHeadless(inMemory(endless), 'go', { signal: counted });
  assert.deepEqual([outcome, state, listening], [{ kind: 'interrupted' }, 'paused', 0]);
});

test('actions that need consent stop the run, are approved, or are rejected at most as often as there are steps', async () => {
  const finished = { kind: 'finished', message: 'done' };
  const waiting = { kind: 'waiting' };
  const turns = [{ tool_calls: [call('a')] }, FINISH];
  const oversight = confirming;
  assert.deepEqual(await resultsOf(turns, { oversight }), [[], waiting]);
  assert.deepEqual(await resultsOf(turns, { oversight, onWaiting: 'stop' }), [[], waiting]);
  assert.deepEqual(await resultsOf(turns, { oversight, onWaiting: 'approve' }), [
    ['ObservationEvent', 'ObservationEvent'],
    finished,
  ]);
  const stubborn = ['a', 'b', 'c', 'd'].map((word) => ({ tool_calls: [call(word)] }));
  const limits = { maxIterations: 2 };
  assert.deepEqual(await resultsOf(stubborn, { oversight, limits, onWaiting: 'reject' }), [
    ['UserRejectObservation', 'UserRejectObservation'],
    waiting,
  ]);
});

test('the agent is answered when it speaks, unless auto-continue is off', async () => {
  const turns = [{ text: 'Shall I?' }, FINISH];
  for (const [oversight, message] of [
    [undefined, 'done'],
    [{}, 'done'],
    [{ autoContinue: 'Yes.' }, 'done'],
    [{ autoContinue: false }, 'Shall I?'],
  ] as const) {
    const config = inMemory(turns, oversight === undefined ? {} : { oversight });
    assert.deepEqual((await runHeadless(config, 'go')).outcome, { kind: 'finished', message });
  }
});

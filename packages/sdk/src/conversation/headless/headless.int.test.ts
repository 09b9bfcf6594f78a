/** The headless flow of V0 by its own words: auto-continue, run until done, EventStream, control states. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { textOf } from '../../event/content.ts';
import type { Event } from '../../event/kinds.ts';
import { LLMError } from '../../llm/errors.ts';
import { type ScriptedTurn, scriptedLlm } from '../../llm/playback/scripted-llm.ts';
import { defineTool } from '../../tool/define-tool.ts';
import type { ToolFactory } from '../../tool/tool.ts';
import { openLocalWorkspace } from '../../workspace/local-workspace.ts';
import { Conversation } from '../conversation.ts';
import { parseHookConfig } from '../hooks/hook-config.ts';
import { AUTO_CONTINUE } from '../run/auto-continue.ts';
import { STATUSES } from '../state/status.ts';
import { CONTROL_STATES, controlStateOf } from './control-state.ts';
import { EventStream } from './event-stream.ts';
import { type HeadlessConfig, runHeadless } from './headless.ts';

const hints = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };

function toolOf(name: string, endsRun: boolean): ToolFactory {
  const kind = { tool: `${name}Tool`, action: `${name}Action`, observation: `${name}Observation` };
  const tool = defineTool({
    name,
    kind,
    description: name,
    input: z.object({ message: z.string().optional() }),
    annotations: hints,
    endsRun,
    run: async ({ message }, { signal }) => {
      if (message === 'slow') await sleep(60_000, undefined, { signal });
      return { content: [{ type: 'text', text: message ?? 'ok' }], is_error: false };
    },
  });
  return { name, create: () => [tool] };
}

const tools = [toolOf('act', false), toolOf('finish', true)];
const act = (message: string): ScriptedTurn => ({ tool_calls: [{ name: 'act', arguments: { message } }] });
const say = (text: string): ScriptedTurn => ({ text });
const FINISH: ScriptedTurn = { tool_calls: [{ name: 'finish', arguments: { message: 'done' } }] };

function config(
  t: TestContext,
  turns: readonly ScriptedTurn[],
  more: Partial<HeadlessConfig> = {},
): HeadlessConfig {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-headless-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return {
    agent: { llm: { model: 'scripted' }, tools: tools.map(({ name }) => ({ name, params: {} })) },
    model: { llm: scriptedLlm({ turns }) },
    tools,
    workspace: openLocalWorkspace(folder),
    place: { conversationsDir: folder, durability: 'process' },
    ...more,
  };
}

function wordsTo(events: readonly Event[], source: Event['source']): string[] {
  return events.flatMap((event) =>
    event.kind === 'MessageEvent' && event.source === source ? [textOf(event.llm_message.content)] : [],
  );
}

function collector(): { readonly events: Event[]; readonly tell: (event: Event) => void } {
  const events: Event[] = [];
  return { events, tell: (event) => void events.push(event) };
}

test('auto_continue_response: an agent that asks gets a user message as reply, and continues until it finishes', async (t) => {
  const { events, tell } = collector();
  const result = await runHeadless(config(t, [say('Shall I go on?'), act('work'), FINISH]), 'do it', {
    subscribers: { main: tell },
  });
  assert.deepEqual(result.outcome, { kind: 'finished', message: 'done' });
  assert.equal(result.state, 'finished');
  assert.deepEqual(wordsTo(events, 'user'), ['do it', AUTO_CONTINUE]);
});

test('auto-continue: the reply can be replaced by a text, or by a function that may return none', async (t) => {
  const one = collector();
  await runHeadless(config(t, [say('?'), FINISH], { oversight: { autoContinue: 'Yes.' } }), 'do it', {
    subscribers: { main: one.tell },
  });
  assert.deepEqual(wordsTo(one.events, 'user'), ['do it', 'Yes.']);

  const two = collector();
  const answers = ['first'];
  const result = await runHeadless(
    config(t, [say('one?'), say('two?'), FINISH], {
      oversight: { autoContinue: (said) => answers.shift()?.concat(' ', said) },
    }),
    'do it',
    { subscribers: { main: two.tell } },
  );
  assert.deepEqual(wordsTo(two.events, 'user'), ['do it', 'first one?']);
  assert.deepEqual(result.outcome, { kind: 'finished', message: 'two?' });
  assert.equal(result.state, 'awaiting_user_input');
});

test('auto-continue: the run of an agent without a finish tool ends with what it says', async (t) => {
  const agent = { llm: { model: 'scripted' }, tools: [{ name: 'act', params: {} }] };
  const { outcome } = await runHeadless(config(t, [act('a'), say('That was it.')], { agent }), 'do it');
  assert.deepEqual(outcome, { kind: 'finished', message: 'That was it.' });
});

test('auto-continue: waiting for a reply can be interrupted', async (t) => {
  const autoContinue = () => new Promise<string>(() => undefined);
  const result = await runHeadless(config(t, [say('?')], { oversight: { autoContinue } }), 'do it', {
    signal: AbortSignal.timeout(100),
  });
  assert.equal(result.outcome.kind, 'interrupted');
  assert.equal(result.state, 'paused');
});

test('--no-auto-continue: the run ends with what the agent said, in the state awaiting_user_input', async (t) => {
  const result = await runHeadless(
    config(t, [say('Shall I?'), FINISH], { oversight: { autoContinue: false } }),
    'do it',
  );
  assert.deepEqual(result.outcome, { kind: 'finished', message: 'Shall I?' });
  assert.equal(result.state, 'awaiting_user_input');
});

test('headless stuck detection: automatic replies do not break a monologue, and stuck differs from error', async (t) => {
  const result = await runHeadless(
    config(
      t,
      Array.from({ length: 9 }, () => say('What now?')),
    ),
    'do it',
  );
  assert.equal(result.outcome.kind, 'stuck');
  assert.equal(result.state, 'error');
});

test('without a task and without a history nothing is asked, and the error says what to do', async (t) => {
  const { outcome } = await runHeadless(config(t, [FINISH]));
  assert.equal(outcome.kind, 'error');
  assert.deepEqual(outcome.kind === 'error' && [outcome.detail, outcome.remedy], [
    'there is no message for the model to answer',
    'Send a message, or give a task.',
  ]);
});

test('different answers in a headless run are no monologue', async (t) => {
  const answers = ['First?', 'Second?', 'Third?', 'Fourth?'].map((words) => say(words));
  const result = await runHeadless(config(t, [...answers, FINISH]), 'do it');
  assert.equal(result.outcome.kind, 'finished');
});

test('headless limits: iterations count over all replies together', async (t) => {
  const turns = Array.from({ length: 9 }, (_, i) => (i % 2 === 0 ? say(`${i}?`) : act(`${i}`)));
  const result = await runHeadless(config(t, turns, { limits: { maxIterations: 4 } }), 'do it');
  assert.deepEqual(result.outcome.kind === 'limit' && result.outcome.code, 'MaxIterationsReached');
  assert.equal(result.state, 'error');
});

test('run_agent_until_done: every terminal status is an outcome, and nothing hangs', async (t) => {
  const risky = { kind: 'AlwaysConfirm' } as const;
  const outcomes = {
    finished: await runHeadless(config(t, [FINISH]), 'go'),
    waiting: await runHeadless(config(t, [act('a'), FINISH], { oversight: { confirmation: risky } }), 'go'),
    error: await runHeadless(
      config(t, [], {
        model: {
          llm: {
            ...scriptedLlm({ turns: [] }),
            complete: () => Promise.reject(new LLMError('LLMBadRequestError', 'no')),
          },
        },
      }),
      'go',
    ),
    stuck: await runHeadless(
      config(
        t,
        Array.from({ length: 9 }, () => act('same')),
      ),
      'go',
    ),
    limit: await runHeadless(config(t, [act('1'), act('2')], { limits: { maxIterations: 1 } }), 'go'),
    interrupted: await runHeadless(config(t, [act('slow')]), 'go', { signal: AbortSignal.timeout(200) }),
  };
  for (const [kind, { outcome }] of Object.entries(outcomes)) assert.equal(outcome.kind, kind);
  const states = Object.entries(outcomes).map(([kind, { state }]) => [kind, state]);
  assert.deepEqual(Object.fromEntries(states), {
    finished: 'finished',
    waiting: 'awaiting_user_confirmation',
    error: 'error',
    stuck: 'error',
    limit: 'error',
    interrupted: 'paused',
  });
});

test('a signal ends the wait for a hook that has the task before it', async (t) => {
  const hooks = parseHookConfig({
    hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command: 'sleep 30' }] }] },
  });
  const signal = AbortSignal.timeout(300);
  const begin = performance.now();
  const { outcome } = await runHeadless(config(t, [FINISH], { oversight: { hooks } }), 'go', { signal });
  assert.deepEqual(outcome, { kind: 'interrupted' });
  assert.ok(performance.now() - begin < 20_000);
});

test('subscribers also get the events that closing the conversation writes', async (t) => {
  const hooks = parseHookConfig({ session_end: [{ hooks: [{ command: 'true' }] }] });
  const told: Event[] = [];
  const subscribers = { all: (event: Event) => void told.push(event) };
  await runHeadless(config(t, [FINISH], { oversight: { hooks } }), 'go', { subscribers });
  const last = told.at(-1);
  assert.equal(last?.kind === 'HookExecutionEvent' && last.hook_event_type, 'SessionEnd');
});

test('confirmation without a person: stop, approve, or reject; none of them hangs', async (t) => {
  const confirmation = { kind: 'AlwaysConfirm' } as const;
  for (const [onWaiting, expected] of [
    ['approve', ['ObservationEvent', 'ObservationEvent']],
    ['reject', ['UserRejectObservation', 'UserRejectObservation']],
  ] as const) {
    const { events, tell } = collector();
    const turns = onWaiting === 'approve' ? [act('a'), FINISH] : [act('a'), FINISH, say('I may not.')];
    const options = { onWaiting, oversight: { confirmation, autoContinue: false } } as const;
    const { outcome } = await runHeadless(config(t, turns, options), 'go', { subscribers: { main: tell } });
    assert.equal(outcome.kind, 'finished');
    const results = events.map(({ kind }) => kind).filter((kind) => /Observation/.test(kind));
    assert.deepEqual(results, expected);
  }
});

test('resume: the same id continues, with a task or without', async (t) => {
  const first = config(t, [act('a')], { limits: { maxIterations: 1 } });
  const { id } = await runHeadless(first, 'go');
  const { events, tell } = collector();
  const again = {
    ...first,
    place: { ...first.place, id },
    model: { llm: scriptedLlm({ turns: [FINISH, FINISH] }) },
    workspace: openLocalWorkspace('.'),
  };
  const { outcome } = await runHeadless(again, undefined, { subscribers: { main: tell } });
  assert.equal(outcome.kind, 'finished');
  assert.deepEqual(wordsTo(events, 'user'), ['go']);
});

async function streamed(t: TestContext, turns: readonly ScriptedTurn[]) {
  const { onWaiting: _, place: __, ...options } = config(t, turns);
  const conversation = await Conversation.open(options);
  const faults: string[] = [];
  const stream = new EventStream(conversation, (text) => faults.push(text));
  t.after(async () => {
    await stream.close();
    await conversation.close();
  });
  return { conversation, stream, faults };
}

test('EventStream: subscribe before or after, and replay from any index', async (t) => {
  const { conversation, stream } = await streamed(t, [act('a'), FINISH]);
  const heard: { readonly [id: string]: number[] } = { before: [], late: [], middle: [], early: [], now: [] };
  const hear = (id: string) => (_: Event, number: number) => void heard[id]?.push(number);
  stream.subscribe('before', hear('before'));
  await conversation.send('go');
  await conversation.run();
  stream.subscribe('late', hear('late'), { from: 0 });
  stream.subscribe('middle', hear('middle'), { from: 3 });
  stream.subscribe('early', hear('early'), { from: -2 });
  stream.subscribe('now', hear('now'));
  await conversation.send('again');
  await stream.settled();

  const all = Array.from({ length: stream.getLatestEventId() + 1 }, (_, i) => i);
  assert.deepEqual(heard['before'], all);
  assert.deepEqual(heard['late'], all);
  assert.deepEqual(heard['early'], all);
  assert.deepEqual(heard['middle'], all.slice(3));
  assert.ok(heard['now'] !== undefined && heard['now'].length > 0 && heard['now'].length < all.length);
  assert.throws(() => stream.subscribe('late', () => undefined), /"late" already/);
  assert.equal(stream.unsubscribe('late'), true);
  assert.equal(stream.unsubscribe('late'), false);
});

test('EventStream: a slow subscriber and one that throws harm neither the others nor the order', async (t) => {
  const { conversation, stream, faults } = await streamed(t, [act('a'), act('b'), FINISH]);
  const slow: number[] = [];
  const quick: number[] = [];
  const thrown: number[] = [];
  stream.subscribe('slow', async (_, number) => {
    await sleep(5);
    slow.push(number);
  });
  stream.subscribe('throwing', (_, number) => {
    thrown.push(number);
    throw new Error(`at ${number}`);
  });
  stream.subscribe('quick', (_, number) => void quick.push(number));
  await conversation.send('go');
  await conversation.run();
  assert.ok(quick.length > slow.length);
  await stream.settled();
  assert.deepEqual(slow, quick);
  assert.deepEqual(thrown, quick);
  assert.deepEqual(
    quick,
    [...quick].sort((a, b) => a - b),
  );
  assert.equal(faults.length, 1);
  assert.match(faults[0]!, /"throwing" threw at event 0: Error: at 0/);
});

test('EventStream: events are found by number, source (user, agent, environment), kind and text', async (t) => {
  const { conversation, stream } = await streamed(t, [act('needle'), FINISH]);
  await conversation.send('go');
  await conversation.run();
  const numbers = (filter: Parameters<EventStream['searchEvents']>[0]) =>
    [...stream.searchEvents(filter)].map(([number]) => number);
  const latest = stream.getLatestEventId();
  assert.equal(stream.getEvent(latest)?.id, conversation.log.at(-1)?.id);
  assert.equal(stream.getEvent(latest + 1), undefined);
  assert.deepEqual(numbers({ startId: 1, endId: 2 }), [1, 2]);
  assert.deepEqual(numbers({ reverse: true, limit: 2 }), [latest, latest - 1]);
  for (const source of ['user', 'agent', 'environment'] as const) {
    const found = [...stream.searchEvents({ source })];
    assert.ok(found.length > 0 && found.every(([, event]) => event.source === source), source);
  }
  assert.equal(numbers({ kinds: ['ActionEvent'] }).length, 2);
  assert.equal(numbers({ kinds: ['ObservationEvent'], query: 'NEEDLE' }).length, 1);
});

test('the task /exit ends a headless run without asking a model', async (t) => {
  const { outcome, state } = await runHeadless(config(t, []), '/exit');
  assert.deepEqual([outcome.kind, state], ['finished', 'finished']);
});

test('control states: each status has one of V0’s, and finished by a message is awaiting_user_input', () => {
  for (const status of STATUSES) assert.ok(CONTROL_STATES.includes(controlStateOf(status)), status);
  const said = { kind: 'MessageEvent', source: 'agent' } as Event;
  assert.equal(controlStateOf('finished', said), 'awaiting_user_input');
  assert.equal(controlStateOf('idle', { ...said, source: 'user' } as Event), 'running');
});

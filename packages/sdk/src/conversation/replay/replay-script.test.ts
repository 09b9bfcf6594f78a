import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callDraft, observationDraft, recordOf, wordsDraft } from '../../../test-support/random-history.ts';
import { message } from '../../agent/message.ts';
import { SENDERS } from '../../agent/sender.ts';
import { text } from '../../event/content.ts';
import type { Draft } from '../../event/draft.ts';
import { millisecondsOf } from '../../event/identity.ts';
import type { ActionEvent, Event } from '../../event/kinds.ts';
import type { Message } from '../../event/message.ts';
import { ReplayMismatch } from '../../llm/playback/cassette.ts';
import { SDK_VERSION } from '../../version.ts';
import { KEEP } from '../../view/condensers/condenser.ts';
import type { Conversation } from '../conversation.ts';
import { digestOf, RecordedRequests } from '../store/request-record.ts';
import type { ReplaySource } from './replay.ts';
import { ReplayScript } from './replay-script.ts';

const go = wordsDraft('user', 'go');
const more = wordsDraft('user', 'more');
const done = wordsDraft('agent', 'done');
const again = wordsDraft('agent', 'again');
const autoReply = message('user', 'continue', { sender: SENDERS.autoContinue });
const pause = { source: 'user', kind: 'PauseEvent' } as Draft;
const interrupt = { source: 'user', kind: 'InterruptEvent' } as Draft;
const request: Draft = { source: 'user', kind: 'CondensationRequest' };
const status = { source: 'environment', key: 'k', value: 'v', kind: 'ConversationStateUpdateEvent' } as Draft;
const overflow = {
  source: 'environment',
  code: 'C',
  detail: 'd',
  kind: 'ConversationErrorEvent',
} as never as Draft;
const SYSTEM: Draft = {
  source: 'agent',
  system_prompt: text('static'),
  tools: [],
  dynamic_context: text('dynamic'),
  kind: 'SystemPromptEvent',
};

const scriptOf = (events: readonly Event[], more: Partial<ReplaySource> = {}, strict = true) =>
  new ReplayScript(
    { id: 'i', events, agent: { llm: { model: 'm' }, tools: [] }, workingDir: '/', ...more },
    strict,
  );

/** What a conversation does when it is asked to: events, or a function. */
type Step = readonly Event[] | ((emit: (event: Event) => void) => Promise<void>);

interface Stage {
  readonly calls: string[];
  readonly signal: AbortSignal;
}

/** Drives a conversation that takes one step each time it is sent a message, run or condensed; returns what it was asked to do. */
async function driven(script: ReplayScript, steps: readonly Step[], outcome: object = {}): Promise<Stage> {
  const rest = steps.values();
  const calls: string[] = [];
  const stop = new AbortController();
  let onEvent: (event: Event) => void = () => undefined;
  const emit = (event: Event) => {
    script.clock.newId(event);
    onEvent(event);
  };
  const step = async () => {
    await undefined; // what is asked for is not begun at once
    const next = rest.next().value ?? [];
    if (typeof next === 'function') await next(emit);
    else next.forEach(emit);
    await new Promise(setImmediate);
  };
  const conversation = {
    subscribe: (onlooker: { onEvent: (event: Event) => void }) => {
      onEvent = onlooker.onEvent;
    },
    send: async (content: readonly { text: string }[], { sender }: { sender?: string }) => {
      calls.push(['send', content[0]?.text, ...(sender === undefined ? [] : [sender])].join(' '));
      await step();
    },
    run: async () => {
      calls.push('run');
      await step();
      calls.push('ran');
      return outcome;
    },
    condense: async () => {
      calls.push('condense');
      await step();
    },
    pause: () => calls.push('pause'),
    interrupt: () => {
      calls.push('interrupt');
      stop.abort();
    },
  };
  Object.assign(stage, { calls, signal: stop.signal });
  await script.drive(conversation as unknown as Conversation);
  return { calls, signal: stop.signal };
}

/** The stage of the conversation that is driven. */
const stage: Stage = { calls: [], signal: new AbortController().signal };
const ask = (script: ReplayScript, messages: readonly Message[] = [], { signal } = stage) =>
  script.llm.complete({ messages, tools: [] } as never, { signal } as never);

const all = (from: number, to?: number) => (events: readonly Event[]) => events.slice(from, to);
for (const [what, drafts, steps, calls] of [
  ['one message', [go, done], [all(0, 1), all(1)], ['send go', 'run', 'ran']],
  ['a message with a sender', [message('user', 'go', { sender: 'alice' })], [all(0)], ['send go alice']],
  [
    'two messages',
    [go, done, more, again],
    [all(0, 1), all(1, 2), all(2, 3), all(3)],
    ['send go', 'run', 'send more', 'ran', 'run', 'ran'],
  ],
  ['a prompt before the message', [SYSTEM, go, done], [all(0, 2), all(2)], ['send go', 'run', 'ran']],
  ['no message', [done], [all(0)], ['run', 'ran']],
  ['a condensation before the first message', [request, go], [all(0, 1), all(1)], ['condense', 'send go']],
  [
    'a condensation after a run',
    [go, done, request],
    [all(0, 1), all(1, 2), all(2)],
    ['send go', 'run', 'ran', 'condense'],
  ],
  [
    'a pause before the first step',
    [go, pause],
    [all(0, 1), all(1)],
    ['send go', 'pause', 'run', 'pause', 'ran'],
  ],
  ['an interrupt', [go, interrupt], [all(0, 1), all(1)], ['send go', 'interrupt', 'run', 'ran']],
  [
    'a message while the model was thinking',
    [go, more, done, again],
    [all(0, 1), all(1, 1), all(1, 2), all(2)],
    ['send go', 'run', 'ran', 'send more', 'run', 'ran'],
  ],
  [
    'a message after automatic replies',
    [go, done, autoReply, again, more],
    [all(0, 1), all(1, 4), all(4)],
    ['send go', 'run', 'ran', 'send more'],
  ],
] as const)
  test(`what the user did is done again: ${what}`, async () => {
    const events = recordOf(...drafts);
    const script = scriptOf(events);
    const parts = steps.map((part) => part(events));
    assert.deepEqual((await driven(script, parts)).calls, calls);
    assert.deepEqual(script.report(), { reproduced: events.length, recorded: events.length });
  });

test('bookkeeping is not compared', async () => {
  const script = scriptOf(recordOf(go, done));
  const [said, ...rest] = recordOf(go, done);
  await driven(script, [
    [...recordOf(status), said!],
    [...recordOf(status), ...rest],
  ]);
  assert.deepEqual(script.report(), { reproduced: 2, recorded: 2 });
});

test('a difference ends the replay, and what follows it is not compared', async () => {
  const events = recordOf(go, done, more, again);
  const script = scriptOf(events);
  const { calls } = await driven(script, [events.slice(0, 1), recordOf(go, again, more).slice(1)]);
  assert.deepEqual(calls, ['send go', 'run', 'interrupt', 'ran']);
  const difference = { event: 1, path: 'llm_message.content[0].text', recorded: 'done', made: 'again' };
  assert.deepEqual(script.report(), { reproduced: 1, recorded: 4, difference });
});

test('a record that is not reached to its end differs by the event that is missing', async () => {
  const events = recordOf(go, done, again);
  const script = scriptOf(events);
  assert.deepEqual((await driven(script, [events.slice(0, 1), events.slice(1, 2)])).calls.length, 5);
  const difference = { event: 2, path: '', recorded: events[2], made: undefined };
  assert.deepEqual(script.report(), { reproduced: 2, recorded: 3, difference });
});

test('an event after the end of the record is a difference', async () => {
  const events = recordOf(go);
  const script = scriptOf(events);
  await driven(script, [recordOf(go, done)]);
  const { difference } = script.report();
  assert.deepEqual([difference?.event, difference?.path, difference?.recorded], [1, '', undefined]);
});

test('unless strict, neither ids and times nor the system prompt are compared', async () => {
  const events = recordOf(SYSTEM, go, callDraft('a', 'r'), observationDraft('a', 'e2'));
  const made = recordOf(
    { ...SYSTEM, system_prompt: text('other') } as Draft,
    go,
    callDraft('a', 'r'),
    observationDraft('a', 'other'),
  ).map((event) => ({ ...event, id: `x${event.id}`, timestamp: '2020-01-01T00:00:00', parent_id: 'p' }));
  const loose = scriptOf(events, {}, false);
  await driven(loose, [made]);
  assert.deepEqual(loose.report(), { reproduced: 4, recorded: 4 });
  const strict = scriptOf(events);
  await driven(strict, [made]);
  assert.equal(strict.report().difference?.event, 0);
  const other = scriptOf(events, {}, false);
  await driven(other, [recordOf(SYSTEM, done)]);
  assert.equal(other.report().difference?.event, 1);
  const kind = scriptOf(recordOf(SYSTEM), {}, false);
  await driven(kind, [recordOf(done)]);
  assert.deepEqual(kind.report().difference?.path, 'kind');
});

test('a mismatch in a run is thrown, another error is an outcome', async () => {
  const mismatch = new ReplayMismatch('x');
  const run = (outcome: object) => {
    const events = recordOf(go, done);
    return driven(scriptOf(events), [events.slice(0, 1), events.slice(1)], outcome);
  };
  await assert.rejects(run({ kind: 'error', cause: mismatch }), mismatch);
  assert.deepEqual((await run({ kind: 'error', cause: new Error('x') })).calls, ['send go', 'run', 'ran']);
  assert.deepEqual((await run({ kind: 'finished', cause: mismatch })).calls, ['send go', 'run', 'ran']);
});

test('a message that cannot be sent makes the replay fail', async () => {
  const events = recordOf(go, done, more);
  const refused = new Error('closed');
  const refuse = async () => {
    // The run ends before the message is refused.
    for (let turn = 0; turn < 9; turn += 1) await new Promise(setImmediate);
    throw refused;
  };
  const running = driven(scriptOf(events), [events.slice(0, 1), events.slice(1, 2), refuse]);
  await assert.rejects(running, refused);
});

test('the model gives the recorded answer, and a message that came meanwhile is sent first', async () => {
  const events = recordOf(go, more, done, again);
  const script = scriptOf(events);
  const said: string[] = [];
  const answering = async () => {
    const { message: answer } = await ask(script);
    said.push(...answer.content.map((each) => (each.type === 'text' ? each.text : '')));
  };
  const { calls } = await driven(script, [
    events.slice(0, 1),
    answering,
    events.slice(1, 2),
    events.slice(2),
  ]);
  assert.deepEqual(calls, ['send go', 'run', 'send more', 'ran', 'run', 'ran']);
  assert.deepEqual(said, ['done']);
  assert.deepEqual([script.llm.usageId, script.llm.model.name], ['agent', 'm']);
});

for (const [what, drafts, reproduced, calls] of [
  ['the record ends', [go, done], 2, ['send go', 'run', 'interrupt', 'interrupt', 'ran']],
  ['the user interrupted', [go, done, interrupt], 3, ['send go', 'run', 'interrupt', 'interrupt', 'ran']],
] as const)
  test(`a request where ${what} is interrupted`, async () => {
    const events = recordOf(...drafts);
    const script = scriptOf(events);
    const asking: Step = async (emit) => {
      emit(events[1]!);
      await assert.rejects(ask(script), { name: 'AbortError' });
      // After the end of the record, what is made is not compared.
      emit(events[2] ?? recordOf(status, status, again)[2]!);
    };
    assert.deepEqual((await driven(script, [events.slice(0, 1), asking])).calls, calls);
    assert.deepEqual(script.report(), { reproduced, recorded: reproduced });
  });

test('a result that is not on record, at its end, interrupts the run', async () => {
  const events = recordOf(go, callDraft('a', 'r'), pause);
  const script = scriptOf(events.slice(0, 2));
  const carryingOut: Step = async (emit) => {
    emit(events[1]!);
    await assert.rejects(script.resultOf(events[1] as ActionEvent, {} as never), ReplayMismatch);
    emit(events[2]!);
  };
  const { calls } = await driven(script, [events.slice(0, 1), carryingOut]);
  assert.deepEqual(calls, ['send go', 'run', 'interrupt', 'ran']);
  assert.deepEqual(script.report(), { reproduced: 2, recorded: 2 });
});

test('a result that is on record does not interrupt the run', async () => {
  const events = recordOf(go, callDraft('a', 'r'), observationDraft('a', 'e1'), done);
  const script = scriptOf(events);
  const carryingOut: Step = async (emit) => {
    emit(events[1]!);
    await script.resultOf(events[1] as ActionEvent, {} as never);
    events.slice(2).forEach(emit);
  };
  assert.deepEqual((await driven(script, [events.slice(0, 1), carryingOut])).calls, [
    'send go',
    'run',
    'ran',
  ]);
  assert.deepEqual(script.report(), { reproduced: 4, recorded: 4 });
});

test('a recorded cassette answers in place of the events', async () => {
  const answer = { id: 'x', message: { role: 'assistant', content: [text('taped')], thinking_blocks: [] } };
  const exchange = { type: 'exchange', usage_id: 'u', keep: 0, messages: [], tools: [], completion: answer };
  const agent = { llm: { model: 'm', usageId: 'u' }, tools: [] };
  const script = scriptOf(recordOf(go), { agent, exchanges: [exchange as never] });
  const fresh = { calls: [], signal: new AbortController().signal };
  assert.equal((await ask(script, [], fresh)).id, 'x');
  assert.equal(script.llm.usageId, 'u');
  await assert.rejects(ask(script, [], fresh), ReplayMismatch);
});

const hello: Message = { role: 'user', content: [text('hello')], thinking_blocks: [] };
const bye: Message = { role: 'user', content: [text('bye')], thinking_blocks: [] };
const line = (...messages: readonly Message[]) => ({
  ...{ at: 'e0', keep: 0, messages: messages.map(digestOf) },
  version: SDK_VERSION,
});
for (const [what, lines, made, difference] of [
  ['the same', [line(hello, bye)], [hello, bye], undefined],
  ['not on record', [], [hello], undefined],
  ['the same as one of several', [line(hello), line(bye)], [hello], undefined],
  ['different', [line(hello, bye)], [hello, hello], [1, digestOf(bye), hello]],
  ['longer', [line(hello)], [hello, bye], [1, undefined, bye]],
  ['shorter', [line(hello, bye)], [hello], [1, digestOf(bye), undefined]],
  ['different from all of several', [line(bye), line(hello, bye)], [hello, hello], [1, digestOf(bye), hello]],
] as const)
  for (const strict of [true, false])
    test(`a request that is ${what}, in a replay that is ${strict ? 'strict' : 'not strict'}`, async () => {
      const events = recordOf(go, done);
      const script = scriptOf(events, { requests: new RecordedRequests(lines) }, strict);
      const faults: unknown[] = [];
      const asking = () =>
        ask(script, made).then(
          () => undefined,
          (error: unknown) => void faults.push((error as Error).name),
        );
      const { calls } = await driven(script, [events.slice(0, 1), asking]);
      const isDifferent = strict && difference !== undefined;
      assert.deepEqual(faults, isDifferent ? ['AbortError'] : []);
      assert.deepEqual(calls, ['send go', 'run', ...(isDifferent ? ['interrupt'] : []), 'ran']);
      if (!isDifferent) return;
      const [place, recorded, own] = difference;
      const path = `request.messages[${place}]`;
      assert.deepEqual(script.report().difference, { event: 1, path, recorded, made: own });
    });

test('ids and times are those of the record, except of bookkeeping, and after its end', () => {
  const events = recordOf(go, done);
  const { clock } = scriptOf(events);
  const at = events.map(({ timestamp }) => millisecondsOf(timestamp));
  assert.deepEqual([clock.now(go), clock.now()], [at[0], at[0]]);
  assert.ok(clock.now(status) > (at[1] ?? 0));
  assert.match(clock.newId(status), /^[0-9a-f-]{36}$/);
  assert.deepEqual(
    [clock.newId(), clock.newId(go), clock.now(done), clock.newId(done)],
    ['e0', 'e0', at[1], 'e1'],
  );
  assert.match(clock.newId(go), /^[0-9a-f-]{36}$/);
  assert.ok(clock.now(go) > (at[1] ?? 0));
});

test('what the engine is told comes from the place in the record that it has reached', async () => {
  const turns = message('environment', 'hurry', { sender: SENDERS.turnsLeft });
  const tools = message('environment', 'new tool', { sender: SENDERS.toolsChanged });
  const hook = { source: 'hook', hook_event_type: 'Stop', kind: 'HookExecutionEvent' } as never as Draft;
  const condensation: Draft = {
    source: 'agent',
    forgotten_event_ids: [],
    llm_response_id: 'c',
    kind: 'Condensation',
  };
  const skilled = message('user', 'go', { names: ['testing'] });
  const drafts = [SYSTEM, skilled, turns, tools, autoReply, hook, condensation, overflow, done];
  const events = recordOf(...drafts);
  const seen: unknown[] = [];
  const script = scriptOf(events);
  const look = async () => {
    const { autoContinue: reply, knowledge, condenser } = script;
    const { events: hooks } = await script.onlookers.on('Stop', {});
    const texts = [await knowledge.staticPrompt([]), await knowledge.dynamicContext(0)].flat();
    assert.deepEqual(
      new Set(texts.map(({ section, source }) => `${section} of ${source}`)),
      new Set(['all of the log']),
    );
    return {
      reply: typeof reply === 'function' && (await reply('said')),
      prompt: texts.map((each) => each.text),
      skills: (await knowledge.forMessage('go', new Set())).names,
      hooks: hooks.length,
      tells: script.tellsTurnsLeft(),
      change: script.toolChange(),
      condensed: (await condenser.condense({} as never, {} as never)).kind,
      handles: condenser.handlesRequests,
    };
  };
  const nothing = { reply: undefined, prompt: ['', ''], skills: [], hooks: 1, tells: false, change: null };
  const usual = { ...nothing, condensed: KEEP.kind, handles: true };
  // Stop hooks may be ahead, but not behind a message of the user.
  const expected = [
    { ...usual, prompt: ['static', 'dynamic'], skills: ['testing'], hooks: 0 },
    { ...usual, skills: ['testing'], hooks: 0 },
    { ...usual, tells: true },
    { ...usual, change: 'new tool' },
    { ...usual, reply: 'continue' },
    usual,
    { ...usual, hooks: 0, condensed: 'condensation' },
    { ...usual, hooks: 0, handles: false },
    { ...usual, hooks: 0 },
  ];
  const looking: Step = async (emit) => {
    for (const event of events) {
      seen.push(await look());
      emit(event);
    }
  };
  await driven(script, [looking]);
  assert.deepEqual(seen, expected);
  const { knowledge, autoContinue, onlookers } = scriptOf(recordOf(go));
  assert.deepEqual(await knowledge.offered(), []);
  assert.deepEqual(await knowledge.forPath('x', new Set()), { names: [], content: [] });
  assert.equal(autoContinue, false);
  assert.equal(await onlookers.close(), undefined);
});

test('where the record has no system prompt, or one without a dynamic part, that part is empty', async () => {
  const { dynamic_context: _, ...bare } = SYSTEM as Extract<Draft, { kind: 'SystemPromptEvent' }>;
  for (const [drafts, fixed] of [
    [[bare], 'static'],
    [[go], ''],
    [[], ''],
  ] as const) {
    const { knowledge } = scriptOf(recordOf(...drafts));
    const parts = [await knowledge.staticPrompt([]), await knowledge.dynamicContext(0)].flat();
    assert.deepEqual(
      parts.map((each) => each.text),
      [fixed, ''],
    );
  }
});

test('a request before the first event is not compared', async () => {
  const script = scriptOf(recordOf(done), { requests: new RecordedRequests([line(hello)]) });
  const { signal } = new AbortController();
  assert.deepEqual((await ask(script, [bye], { calls: [], signal })).message.content, [text('done')]);
});

test('messages are given the recorded words, bookkeeping is left as it is', () => {
  const hurry = (words: string) => message('environment', words, { sender: SENDERS.turnsLeft });
  const script = scriptOf(recordOf(hurry('then'), done));
  assert.deepEqual(script.reword(hurry('now')), hurry('then'));
  assert.equal(script.reword(status), status);
  script.clock.newId(hurry('now'));
  const { sender: _, ...unsigned } = hurry('now') as Extract<Draft, { kind: 'MessageEvent' }>;
  assert.deepEqual(script.reword(hurry('now')), unsigned);
});

test('a result is the recorded one, with its request for a condensation; where the record ends it is cut', async () => {
  const call = callDraft('a', 'r');
  const asked: Draft = { source: 'agent', kind: 'CondensationRequest' };
  const resultIn = async (...drafts: readonly Draft[]) => {
    const events = recordOf(...drafts);
    let requests = 0;
    const requestCondensation = () => {
      requests += 1;
    };
    const draft = await scriptOf(events).resultOf(events[0] as ActionEvent, { requestCondensation } as never);
    return [draft, requests];
  };
  const result = observationDraft('a', 'e0');
  assert.deepEqual(await resultIn(call, result), [result, 0]);
  assert.deepEqual(await resultIn(call, result, asked), [result, 1]);
  await assert.rejects(resultIn(call), ReplayMismatch);
});

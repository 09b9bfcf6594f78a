import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  callDraft,
  countingClock,
  observationDraft,
  randomHistory,
  wordsDraft,
} from '../../../test-support/random-history.ts';
import { type TextContent, text, textOf } from '../../event/content.ts';
import { type Draft, eventOf } from '../../event/draft.ts';
import type { Event } from '../../event/kinds.ts';
import type { Message } from '../../event/message.ts';
import type { LLM, Prompt } from '../../llm/llm.ts';
import { View } from '../view.ts';
import type { Condensed, CondenserContext } from './condenser.ts';
import { CONDENSER_TYPES, type CondenserSpec, createCondenser } from './spec.ts';

const SYSTEM: Draft = {
  source: 'agent',
  system_prompt: text('static'),
  tools: [],
  kind: 'SystemPromptEvent',
};

/** A system prompt, a task, and calls with their results, in all so many events. */
function history(length: number, size = 10, prefix = ''): Event[] {
  const clock = countingClock();
  const events = [eventOf(SYSTEM, null, clock), eventOf(wordsDraft('user', 'the task'), null, clock)];
  for (let i = 0; events.length < length; i += 1) {
    const call = eventOf(callDraft(`${prefix}c${i}`, `${prefix}r${i}`, `command ${i}`), null, clock);
    events.push(
      call,
      eventOf(observationDraft(`${prefix}c${i}`, call.id, `output ${i} ${'x'.repeat(size)}`), null, clock),
    );
  }
  return events.slice(0, length);
}

function viewOf(events: readonly Event[]): View {
  const view = new View();
  for (const event of events) view.append(event);
  return view;
}

interface Answer {
  readonly text?: string;
  readonly args?: object;
}

/** As the tools of a browser have it. */
const hiddenWhenOld: CondenserContext['hiddenWhenOld'] = ({ kind, url }) =>
  kind === 'BrowserObservation' ? `seen at ${url}` : undefined;

/** What the condenser's model was asked, and what came of it. */
async function condense(
  spec: CondenserSpec,
  view: View,
  context: Partial<CondenserContext> = {},
  answer: Answer = { text: 'a summary' },
) {
  const prompts: Prompt[] = [];
  const notes: string[] = [];
  const llm: LLM = {
    model: { name: 'm', vision: false },
    usageId: 'condenser',
    complete: async (prompt) => {
      prompts.push(prompt);
      const calls =
        answer.args === undefined
          ? {}
          : {
              tool_calls: [
                { id: 'x', name: 'f', arguments: JSON.stringify(answer.args), origin: 'completion' as const },
              ],
            };
      const message: Message = {
        role: 'assistant',
        content: answer.text === undefined ? [] : [text(answer.text)],
        ...calls,
      };
      const usage = {
        promptTokens: 1,
        completionTokens: 1,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        reasoningTokens: 0,
      };
      return { id: 'resp', message, finish: { reason: 'stop' }, usage, costUsd: null, latencyMs: 0 };
    },
  };
  const condensed = await createCondenser(spec).condense(view, {
    llm: async () => llm,
    tokens: async () => 0,
    contextWindow: undefined,
    hiddenWhenOld,
    signal: new AbortController().signal,
    onNote: (note) => notes.push(note),
    ...context,
  });
  return { condensed, prompts, notes };
}

/** The view of the next step. */
function after(events: readonly Event[], condensed: Condensed): View {
  assert.equal(condensed.kind, 'condensation');
  const draft: Draft = {
    source: 'environment',
    ...(condensed.kind === 'condensation' ? condensed.condensation : { llm_response_id: '' }),
    kind: 'Condensation',
  };
  return viewOf([...events, eventOf(draft, null, countingClock())]);
}

const shown = (messages: readonly Message[]) =>
  messages.map((message) => textOf(message.content as TextContent[]));

test('the worked example: 150 events, at most 120, keep first 4: 91 forgotten, offset 4, next view 60', async () => {
  // A word of the user's behind the first call, so that both cuts fall between pairs.
  const word = eventOf(wordsDraft('user', 'a word'), null, countingClock());
  const events = history(149).toSpliced(4, 0, { ...word, id: 'word' });
  const view = viewOf(events);
  const { condensed } = await condense({ type: 'llm', maxSize: 120, keepFirst: 4 }, view);
  assert.ok(condensed.kind === 'condensation');
  assert.equal(condensed.condensation.forgotten_event_ids?.length, 91);
  assert.equal(condensed.condensation.summary_offset, 4);
  const next = after(events, condensed);
  assert.equal(next.events.length, 60);
  assert.deepEqual(
    next.events.map(({ id }) => id).toSpliced(4, 1),
    [...view.events.slice(0, 4), ...view.events.slice(95)].map(({ id }) => id),
  );
  assert.equal((next.events[4] as { summary?: string }).summary, 'a summary');
});

test('a summary is made of whole arguments, and of whole summaries that were made before', async () => {
  const events = history(150);
  const first = await condense(
    { type: 'llm', maxSize: 120 },
    viewOf(events),
    {},
    { text: `EARLIER ${'y'.repeat(300)} END` },
  );
  const clock = countingClock();
  const condensation = first.condensed.kind === 'condensation' ? first.condensed.condensation : undefined;
  const draft: Draft = { source: 'environment', ...condensation!, kind: 'Condensation' };
  const more: Event[] = history(80, 500, 'more')
    .slice(2)
    .map((event) => ({
      ...event,
      id: `more-${event.id}`,
      ...('action_id' in event ? { action_id: `more-${event.action_id}` } : {}),
    }));
  const view = viewOf([...events, eventOf(draft, null, clock), ...more]);
  const { prompts } = await condense({ type: 'llm', maxSize: 100, maxEventLength: 100 }, view);
  const asked = shown(prompts[0]!.messages)[0]!;
  assert.ok(asked.includes(`EARLIER ${'y'.repeat(300)} END`));
  assert.ok(asked.includes('{"command":"command 60"}'));
  assert.ok(!asked.includes('static'), 'the system prompt is not summed up');
});

test('it is condensed before the window is full, by the provider’s own count', async () => {
  const view = viewOf(history(100, 400));
  const spec: CondenserSpec = { type: 'llm' };
  assert.equal(
    (await condense(spec, view, { tokens: async () => 79_000, contextWindow: 100_000 })).condensed.kind,
    'view',
  );
  const { condensed } = await condense(spec, view, { tokens: async () => 81_000, contextWindow: 100_000 });
  assert.ok(condensed.kind === 'condensation');
  // What is left takes about half of what may be taken.
  const left = after(history(100, 400), condensed).events.length;
  assert.ok(left > 40 && left < 60, String(left));
});

test('the system prompt is never forgotten; where nothing lies between head and tail, nothing happens', async () => {
  for (const length of [2, 3, 4, 5, 6, 8]) {
    const events = [
      ...history(length),
      eventOf({ source: 'user', kind: 'CondensationRequest' }, null, countingClock()),
    ];
    const { condensed } = await condense({ type: 'llm' }, viewOf(events));
    if (condensed.kind === 'view') continue;
    const [first] = after(events, condensed).events;
    assert.equal(first?.kind, 'SystemPromptEvent');
  }
});

test('a model that fails: nothing happens, or when room must be made, the newest half stays', async () => {
  const events = history(150);
  const llm = () => Promise.reject(new Error('no model'));
  const soft = await condense({ type: 'llm', maxSize: 120 }, viewOf(events), { llm });
  assert.deepEqual([soft.condensed.kind, soft.notes], ['view', ['the condenser failed: no model']]);
  const hard = await condense({ type: 'llm' }, viewOf(events), {
    llm,
    tokens: async () => 90,
    contextWindow: 100,
  });
  const kept = after(events, hard.condensed).events;
  assert.ok(kept.length >= 70 && kept.length <= 80);
  assert.deepEqual(
    kept.slice(0, 2).map(({ kind }) => kind),
    ['SystemPromptEvent', 'MessageEvent'],
  );
});

test('a summary that is longer than what it stands for is refused', async () => {
  const { condensed, notes } = await condense(
    { type: 'llm', maxSize: 120 },
    viewOf(history(150)),
    {},
    { text: 'z'.repeat(100_000) },
  );
  assert.equal(condensed.kind, 'view');
  assert.match(notes[0]!, /longer than what it stands for/);
});

test('recent: the first and the last, the same events otherwise; a short view is left alone', async () => {
  const events = history(60);
  const { condensed } = await condense({ type: 'recent', keepFirst: 2, maxEvents: 10 }, viewOf(events));
  assert.ok(condensed.kind === 'messages');
  assert.deepEqual(
    condensed.messages.map(({ role }) => role),
    ['system', 'user', ...Array(4).fill(['assistant', 'tool']).flat()],
  );
  assert.equal((await condense({ type: 'recent', maxEvents: 100 }, viewOf(events))).condensed.kind, 'view');
});

test('masked and omitted results keep their calls, and the same ones the same objects', async () => {
  const view = viewOf(history(10));
  const masked = await condense({ type: 'observation_masking', attentionWindow: 4 }, view);
  assert.ok(masked.condensed.kind === 'messages');
  const texts = shown(masked.condensed.messages.filter(({ role }) => role === 'tool'));
  assert.deepEqual(
    texts.map((each) => each === '<MASKED>'),
    [true, true, false, false],
  );
  const omitted = await condense({ type: 'omit_outputs', turns: 3 }, view);
  assert.ok(omitted.condensed.kind === 'messages');
  assert.deepEqual(
    shown(omitted.condensed.messages.filter(({ role }) => role === 'tool')).map((each) => each === 'omitted'),
    [true, false, false, false],
  );
  const all = await condense({ type: 'discard_all' }, view);
  assert.ok(all.condensed.kind === 'messages');
  assert.equal(shown(all.condensed.messages).filter((each) => each === 'omitted').length, 3);
  assert.deepEqual(
    all.condensed.messages.map((message) => message.tool_call_id),
    view.messages().map((message) => message.tool_call_id),
  );
  const condenser = createCondenser({ type: 'discard_all' });
  const context = {
    tokens: async () => 0,
    contextWindow: undefined,
    hiddenWhenOld,
    signal: new AbortController().signal,
    onNote: () => undefined,
    llm: () => Promise.reject(),
  };
  const [one, two] = [await condenser.condense(view, context), await condenser.condense(view, context)];
  assert.ok(
    one.kind === 'messages' &&
      two.kind === 'messages' &&
      one.messages.every((message, i) => message === two.messages[i]),
  );
});

test('of two calls with the same id, only the older result is masked', async () => {
  const clock = countingClock();
  const events = ['old', 'new'].flatMap((output) => {
    const call = eventOf(callDraft('same', `response-${output}`), null, clock);
    return [call, eventOf(observationDraft('same', call.id, output), null, clock)];
  });
  for (const spec of [
    { type: 'discard_all' },
    { type: 'observation_masking', attentionWindow: 2 },
  ] as const) {
    const { condensed } = await condense(spec, viewOf(events));
    assert.ok(condensed.kind === 'messages');
    const [first, second] = shown(condensed.messages.filter(({ role }) => role === 'tool'));
    assert.deepEqual([first === 'old', second], [false, 'new']);
  }
});

test('browser output masking: only the newest pages are shown, of the others the address', async () => {
  const clock = countingClock();
  const pages = ['one', 'two'].flatMap((page, i) => {
    const call = eventOf(callDraft(`p${i}`, `p${i}`), null, clock);
    const seen = observationDraft(`p${i}`, call.id, `page ${page}`);
    const observation: object = {
      ...(seen as { observation: object }).observation,
      url: `http://${page}`,
      kind: 'BrowserObservation',
    };
    return [call, eventOf({ ...seen, observation } as unknown as Draft, null, clock)];
  });
  const { condensed } = await condense({ type: 'browser_output_masking' }, viewOf([...history(4), ...pages]));
  assert.ok(condensed.kind === 'messages');
  const texts = shown(condensed.messages.filter(({ role }) => role === 'tool'));
  assert.deepEqual(texts.slice(1), ['seen at http://one', 'page two']);
  assert.match(texts[0]!, /^output 0/);
});

test('amortized: the middle goes, without a word', async () => {
  const events = history(101);
  const { condensed, prompts } = await condense(
    { type: 'amortized', maxSize: 100, keepFirst: 2 },
    viewOf(events),
  );
  const { events: kept } = after(events, condensed);
  assert.ok(kept.length >= 48 && kept.length <= 50);
  assert.ok(kept.every(({ kind }) => kind !== 'CondensationSummaryEvent'));
  assert.equal(prompts.length, 0);
});

test('attention: what the model calls important stays, whole', async () => {
  const events = history(101);
  const { condensed } = await condense(
    { type: 'llm_attention', maxSize: 100, keepFirst: 2 },
    viewOf(events),
    {},
    { args: { ids: [10, 11, 999, 'x'] } },
  );
  const calls = after(events, condensed)
    .messages()
    .flatMap((message) => message.tool_calls ?? []);
  assert.ok(calls.some((each) => each.arguments.includes('command 5"')));
  assert.ok(!calls.some((each) => each.arguments.includes('command 7"')));
});

test('structured: the form of V0, filled in, under its heads; an empty one is no summary', async () => {
  const events = history(101);
  const form = { user_context: 'wants x', completed_tasks: 'y', pending_tasks: 'z', branch_name: '' };
  const { condensed, prompts } = await condense(
    { type: 'structured', maxSize: 100 },
    viewOf(events),
    {},
    { args: form },
  );
  assert.equal(Object.keys(prompts[0]!.tools[0]!.parameters['properties'] as object).length, 18);
  const summary = condensed.kind === 'condensation' ? condensed.condensation.summary : '';
  assert.equal(
    summary,
    '# State summary\n\n## User context\nwants x\n\n## Completed tasks\ny\n\n## Pending tasks\nz',
  );
  assert.equal(
    (await condense({ type: 'structured', maxSize: 100 }, viewOf(events), {}, { text: 'no' })).condensed.kind,
    'view',
  );
});

test('conversation window: only when it is asked for; the task and the newest half stay', async () => {
  const events = history(40);
  assert.equal((await condense({ type: 'conversation_window' }, viewOf(events))).condensed.kind, 'view');
  const asked = [...events, eventOf({ source: 'agent', kind: 'CondensationRequest' }, null, countingClock())];
  const { condensed } = await condense({ type: 'conversation_window' }, viewOf(asked));
  const roles = after(asked, condensed)
    .messages()
    .map(({ role }) => role);
  assert.deepEqual(roles.slice(0, 3), ['system', 'user', 'assistant']);
  assert.ok(roles.length >= 20 && roles.length <= 23);
});

test('pipeline: masks first, forgets when the first that condenses says so', async () => {
  const spec: CondenserSpec = {
    type: 'pipeline',
    condensers: [{ type: 'discard_all' }, { type: 'amortized', maxSize: 50 }],
  };
  assert.equal((await condense(spec, viewOf(history(40)))).condensed.kind, 'messages');
  assert.equal((await condense(spec, viewOf(history(60)))).condensed.kind, 'condensation');
});

test('sizes that leave nothing to forget are refused', () => {
  assert.throws(() => createCondenser({ type: 'llm', maxSize: 10, keepFirst: 4 }), RangeError);
  assert.throws(() => createCondenser({ type: 'recent', keepFirst: 5, maxEvents: 5 }), RangeError);
  const wrong: readonly (readonly [CondenserSpec, RegExp])[] = [
    [
      { type: 'observation_masking', attentionWindow: 0 },
      /attention_window must be a whole number from 1 on/,
    ],
    [{ type: 'omit_outputs', turns: 0 }, /turns must be a whole number from 1 on/],
    [{ type: 'llm', maxSize: 12.5 }, /max_size must be a whole number/],
    [{ type: 'llm', minimumProgress: 5 }, /minimum_progress must be a part/],
    [{ type: 'pipeline', condensers: [{ type: 'omit_outputs', turns: -1 }] }, /turns must be/],
  ];
  for (const [spec, said] of wrong) assert.throws(() => createCondenser(spec), said);
});

test('a model that sums up is shown the ends of a long event, and a shorter one whole', async () => {
  const events = history(150);
  const length = 60;
  const { prompts } = await condense({ type: 'llm', maxSize: 120, maxEventLength: length }, viewOf(events));
  const asked = shown(prompts[0]!.messages)[0]!;
  const long = `result of terminal: output 30 ${'x'.repeat(10)}`;
  assert.ok(asked.includes(`<EVENT>\n${long}\n</EVENT>`));
  const call = 'agent\ncalls terminal: {"command":"command 30"}';
  assert.ok(call.length < length && asked.includes(`<EVENT>\n${call}\n</EVENT>`));
  const cut = await condense({ type: 'llm', maxSize: 120, maxEventLength: 20 }, viewOf(events));
  const words = shown(cut.prompts[0]!.messages)[0]!;
  assert.ok(words.includes(`<EVENT>\n${call.slice(0, 10)}\n[...]\n${call.slice(-10)}\n</EVENT>`));
  const exact = await condense({ type: 'llm', maxSize: 120, maxEventLength: long.length }, viewOf(events));
  assert.ok(shown(exact.prompts[0]!.messages)[0]!.includes(`<EVENT>\n${long}\n</EVENT>`));
});

test('a summary is used without the space around it, and an empty one is none', async () => {
  const view = viewOf(history(150));
  const spec: CondenserSpec = { type: 'llm', maxSize: 120 };
  const { condensed } = await condense(spec, view, {}, { text: '  a summary\n' });
  assert.ok(condensed.kind === 'condensation');
  assert.deepEqual(
    [condensed.condensation.summary, condensed.condensation.llm_response_id],
    ['a summary', 'resp'],
  );
  assert.equal((await condense(spec, view, {}, { text: ' \n' })).condensed.kind, 'view');
});

test('a form is used without the space around its parts, and blank parts are left out', async () => {
  const args = { user_context: ' wants x\n', completed_tasks: '  ', pending_tasks: 7 };
  const { condensed } = await condense(
    { type: 'structured', maxSize: 100 },
    viewOf(history(101)),
    {},
    { args },
  );
  assert.ok(condensed.kind === 'condensation');
  assert.equal(condensed.condensation.summary, '# State summary\n\n## User context\nwants x');
});

test('a model that chooses or fills in a form is given one tool, whose parameters are an object', async () => {
  const tools = async (spec: CondenserSpec) =>
    (await condense(spec, viewOf(history(150)))).prompts[0]!.tools.map(({ name, parameters }) => ({
      name,
      type: parameters['type'],
      required: parameters['required'],
      properties: Object.keys(parameters['properties'] as object),
    }));
  assert.deepEqual(await tools({ type: 'llm_attention', maxSize: 100 }), [
    { name: 'keep_events', type: 'object', required: ['ids'], properties: ['ids'] },
  ]);
  const [form] = await tools({ type: 'structured', maxSize: 100 });
  assert.deepEqual(
    [form?.name, form?.type, form?.required],
    ['create_state_summary', 'object', ['user_context', 'completed_tasks', 'pending_tasks']],
  );
  assert.deepEqual(form?.properties, [
    ...['user_context', 'completed_tasks', 'pending_tasks', 'current_state', 'files_modified'],
    ...['function_changes', 'data_structures', 'tests_written', 'tests_passing', 'failing_tests'],
    ...['error_messages', 'branch_created', 'branch_name', 'commits_made', 'pr_created', 'pr_status'],
    ...['dependencies', 'other_relevant_context'],
  ]);
  assert.deepEqual(await tools({ type: 'llm', maxSize: 100 }), []);
});

test('of several reasons to condense the one that leaves least decides', async () => {
  const events = history(150);
  const requested = [
    ...events,
    eventOf({ source: 'user', kind: 'CondensationRequest' }, null, countingClock()),
  ];
  const left = async (spec: CondenserSpec, of: readonly Event[], context: Partial<CondenserContext> = {}) =>
    after(of, (await condense(spec, viewOf(of), context)).condensed).events.length;
  const request = await left({ type: 'amortized', keepFirst: 2, maxSize: 200 }, requested);
  const size = await left({ type: 'amortized', keepFirst: 2, maxSize: 40 }, events);
  const full = { tokens: async () => 100, contextWindow: 50 };
  const window = await left({ type: 'amortized', keepFirst: 2, maxSize: 200 }, events, full);
  assert.ok(size < window && window < request, [size, window, request].join());
  assert.equal(await left({ type: 'amortized', keepFirst: 2, maxSize: 40 }, requested), size);
  assert.equal(await left({ type: 'amortized', keepFirst: 2, maxSize: 200 }, requested, full), window);
});

test('a cut that would make too little progress is not made', async () => {
  const view = viewOf(history(41));
  const spec: CondenserSpec = { type: 'amortized', maxSize: 40, keepFirst: 2 };
  assert.equal((await condense({ ...spec, minimumProgress: 0.5 }, view)).condensed.kind, 'condensation');
  assert.equal((await condense({ ...spec, minimumProgress: 0.6 }, view)).condensed.kind, 'view');
});

test('an abort is no failure of the model', async () => {
  const abort = new AbortController();
  const llm = () => {
    abort.abort(new Error('enough'));
    return Promise.reject(new Error('no model'));
  };
  const spec: CondenserSpec = { type: 'llm', maxSize: 120 };
  await assert.rejects(condense(spec, viewOf(history(150)), { llm, signal: abort.signal }), /no model/);
});

test('a pipeline can make room if one of its condensers can', () => {
  const handles = (...types: CondenserSpec['type'][]) =>
    createCondenser({ type: 'pipeline', condensers: types.map((type) => ({ type }) as CondenserSpec) })
      .handlesRequests;
  assert.deepEqual([handles('noop', 'llm'), handles('llm', 'noop'), handles('noop')], [true, true, false]);
});

test('where there is nothing to mask, the view is kept', async () => {
  const view = viewOf(history(6));
  for (const spec of [
    { type: 'observation_masking', attentionWindow: 100 },
    { type: 'omit_outputs', turns: 9 },
    { type: 'browser_output_masking' },
  ] as const)
    assert.equal((await condense(spec, view)).condensed.kind, 'view', spec.type);
});

test('an answer of the agent in words is a turn, words of the user are none', async () => {
  const clock = countingClock();
  const say = (who: 'user' | 'agent', id: string) => ({
    ...eventOf(wordsDraft(who, 'words'), null, clock),
    id,
  });
  const hidden = async (...events: readonly Event[]) => {
    const view = viewOf([...history(6), ...events]);
    const { condensed } = await condense({ type: 'omit_outputs', turns: 1 }, view);
    const messages = condensed.kind === 'messages' ? condensed.messages : view.messages();
    return shown(messages).filter((each) => each === 'omitted').length;
  };
  assert.equal(await hidden(), 1);
  assert.equal(await hidden(say('user', 'said')), 1);
  assert.equal(await hidden(say('agent', 'answered')), 2);
});

test('a model that chooses or fills in a form is shown the events', async () => {
  const asked = async (spec: CondenserSpec) =>
    shown((await condense(spec, viewOf(history(150)))).prompts[0]!.messages)[0]!;
  const call = 'agent\ncalls terminal: {"command":"command 1"}';
  const form = await asked({ type: 'structured', maxSize: 100 });
  assert.ok(form.includes(`<EVENT>\n${call}\n</EVENT>`));
  const choice = await asked({ type: 'llm_attention', maxSize: 100 });
  assert.ok(choice.includes(`<EVENT id=0>\n${call}\n</EVENT>\n<EVENT id=1>\nresult of terminal: output 1 `));
  const short = await asked({ type: 'llm_attention', maxSize: 100, maxEventLength: 5 });
  assert.ok(short.includes('<EVENT id=0>\nagent\n</EVENT>'));
});

/** All, with sizes that make them work on small histories. */
const ALL: readonly CondenserSpec[] = CONDENSER_TYPES.filter((type) => type !== 'pipeline').map((type) => {
  const small = { type, maxSize: 8, keepFirst: 1, minimumProgress: 0, maxEvents: 6, attentionWindow: 2 };
  return small as unknown as CondenserSpec;
});

test('no condenser takes the task out of the prompt, with its default sizes or small ones', async () => {
  const request = eventOf({ source: 'user', kind: 'CondensationRequest' }, null, countingClock());
  const events = [...history(300), request];
  const task = viewOf(events).messages()[1];
  assert.equal(task?.role, 'user');
  for (const spec of [...ALL, ...ALL.map(({ type }) => ({ type }) as CondenserSpec)]) {
    const { condensed } = await condense(spec, viewOf(events), {}, { text: 's', args: { ids: [0] } });
    if (condensed.kind === 'view') continue;
    const messages = condensed.kind === 'messages' ? condensed.messages : after(events, condensed).messages();
    // A summary is part of the same message.
    assert.deepEqual(messages[1]?.content[0], task.content[0], JSON.stringify(spec));
    if (condensed.kind === 'condensation')
      assert.ok(!condensed.condensation.forgotten_event_ids?.includes(events[1]?.id ?? ''), spec.type);
  }
});

test('no condenser ever breaks a pair of call and result, in any history', async () => {
  await fc.assert(
    fc.asyncProperty(randomHistory, fc.constantFrom(...ALL), fc.boolean(), async (events, spec, asked) => {
      const request = eventOf({ source: 'user', kind: 'CondensationRequest' }, null, countingClock());
      const all = asked ? [...events, { ...request, id: 'request' }] : events;
      const view = viewOf(all);
      const { condensed } = await condense(
        spec,
        view,
        {},
        { text: 's', args: { ids: [0], user_context: 'u' } },
      );
      const messages =
        condensed.kind === 'messages'
          ? condensed.messages
          : condensed.kind === 'view'
            ? view.messages()
            : after(all, condensed).messages();
      for (const [i, message] of messages.entries()) {
        const calls = message.tool_calls ?? [];
        assert.deepEqual(
          messages.slice(i + 1, i + 1 + calls.length).map((each) => each.tool_call_id),
          calls.map(({ id }) => id),
        );
      }
      // What stands in place of results changes nothing else.
      if (condensed.kind === 'messages' && spec.type !== 'recent')
        assert.deepEqual(
          messages.map((each) => ({ ...each, content: each.role === 'tool' ? [] : each.content })),
          view.messages().map((each) => ({ ...each, content: each.role === 'tool' ? [] : each.content })),
        );
      if (condensed.kind === 'condensation')
        assert.ok(after(all, condensed).events.length <= view.events.length);
    }),
    { numRuns: Number(process.env['HISTORIES'] ?? 1_000) },
  );
});

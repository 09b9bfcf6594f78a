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

test('150 events with max_size 120 and keep_first 4: 91 are forgotten, and 60 remain with the summary at place 4', async () => {
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

test('the summarizing model is shown arguments and earlier summaries in full', async () => {
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

test('history is condensed before the window is full, by the provider’s own count', async () => {
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

test('the system prompt is never forgotten; if nothing lies between head and tail, nothing is condensed', async () => {
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

test('when the model fails, the view is kept, or cut to its newest half if room must be made', async () => {
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

test('a summary that is longer than what it replaces is refused', async () => {
  const { condensed, notes } = await condense(
    { type: 'llm', maxSize: 120 },
    viewOf(history(150)),
    {},
    { text: 'z'.repeat(100_000) },
  );
  assert.equal(condensed.kind, 'view');
  assert.match(notes[0]!, /longer than what it stands for/);
});

test('recent shows the first and the last events, and leaves a short view alone', async () => {
  const events = history(60);
  const { condensed } = await condense({ type: 'recent', keepFirst: 2, maxEvents: 10 }, viewOf(events));
  assert.ok(condensed.kind === 'messages');
  assert.deepEqual(
    condensed.messages.map(({ role }) => role),
    ['system', 'user', ...Array(4).fill(['assistant', 'tool']).flat()],
  );
  const more = await condense({ type: 'recent', keepFirst: 4, maxEvents: 10 }, viewOf(events));
  assert.ok(more.condensed.kind === 'messages');
  assert.deepEqual(
    more.condensed.messages.flatMap(({ tool_calls: calls = [] }) => calls.map((call) => call.arguments)),
    [0, 26, 27, 28].map((i) => `{"command":"command ${i}"}`),
  );
  assert.equal((await condense({ type: 'recent', maxEvents: 100 }, viewOf(events))).condensed.kind, 'view');
});

test('masked and omitted results keep their calls, and the same message is masked into the same object', async () => {
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

test('browser_output_masking shows the newest pages, and only the address of older ones', async () => {
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

test('amortized removes the middle without a summary', async () => {
  const events = history(101);
  const { condensed, prompts } = await condense(
    { type: 'amortized', maxSize: 100, keepFirst: 2 },
    viewOf(events),
  );
  const { events: kept } = after(events, condensed);
  assert.equal(condensed.kind === 'condensation' && condensed.condensation.llm_response_id, '');
  assert.ok(kept.length >= 48 && kept.length <= 50);
  assert.ok(kept.every(({ kind }) => kind !== 'CondensationSummaryEvent'));
  assert.equal(prompts.length, 0);
});

test('llm_attention keeps what the model calls important, with calls and results together', async () => {
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

test('structured turns the form into a summary with a heading for each field; an empty form is refused', async () => {
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

test('conversation_window condenses only on request, and keeps the task and the newest half', async () => {
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

test('a pipeline masks until one of its condensers makes a condensation', async () => {
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

test('the summarizing model is shown both ends of a long event, and a short one in full', async () => {
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

test('a summary is trimmed, and an empty one is refused', async () => {
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

test('the fields of a form are trimmed, and blank ones are left out', async () => {
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

test('llm_attention and structured give their model one tool with object parameters', async () => {
  const tools = async (spec: CondenserSpec) =>
    (await condense(spec, viewOf(history(150)))).prompts[0]!.tools.map(({ name, parameters }) => ({
      name,
      type: parameters['type'],
      required: parameters['required'],
      properties: Object.keys(parameters['properties'] as object),
      types: Object.values(parameters['properties'] as { [name: string]: { type: string } }).map(
        (each) => each.type,
      ),
    }));
  assert.deepEqual(await tools({ type: 'llm_attention', maxSize: 100 }), [
    { name: 'keep_events', type: 'object', required: ['ids'], properties: ['ids'], types: ['array'] },
  ]);
  const choice = (await condense({ type: 'llm_attention', maxSize: 100 }, viewOf(history(150)))).prompts[0]!
    .tools[0]!;
  const { ids } = choice.parameters['properties'] as { ids: { items: object } };
  assert.deepEqual(ids.items, { type: 'integer' });
  const [form] = await tools({ type: 'structured', maxSize: 100 });
  assert.deepEqual(
    [form?.name, form?.type, form?.required],
    ['create_state_summary', 'object', ['user_context', 'completed_tasks', 'pending_tasks']],
  );
  assert.deepEqual(form?.types, Array(18).fill('string'));
  assert.deepEqual(form?.properties, [
    ...['user_context', 'completed_tasks', 'pending_tasks', 'current_state', 'files_modified'],
    ...['function_changes', 'data_structures', 'tests_written', 'tests_passing', 'failing_tests'],
    ...['error_messages', 'branch_created', 'branch_name', 'commits_made', 'pr_created', 'pr_status'],
    ...['dependencies', 'other_relevant_context'],
  ]);
  assert.deepEqual(await tools({ type: 'llm', maxSize: 100 }), []);
});

test('if there are several reasons to condense, the one that keeps the fewest events decides', async () => {
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

test('a cut that would remove too few events is not made', async () => {
  const view = viewOf(history(41));
  const spec: CondenserSpec = { type: 'amortized', maxSize: 40, keepFirst: 2 };
  assert.equal((await condense({ ...spec, minimumProgress: 0.5 }, view)).condensed.kind, 'condensation');
  assert.equal((await condense({ ...spec, minimumProgress: 0.6 }, view)).condensed.kind, 'view');
});

test('an abort is rethrown, not treated as a failure of the model', async () => {
  const abort = new AbortController();
  const llm = () => {
    abort.abort(new Error('enough'));
    return Promise.reject(new Error('no model'));
  };
  const spec: CondenserSpec = { type: 'llm', maxSize: 120 };
  await assert.rejects(condense(spec, viewOf(history(150)), { llm, signal: abort.signal }), /no model/);
});

test('a pipeline handles requests if one of its condensers does', () => {
  const handles = (...types: CondenserSpec['type'][]) =>
    createCondenser({ type: 'pipeline', condensers: types.map((type) => ({ type }) as CondenserSpec) })
      .handlesRequests;
  assert.deepEqual([handles('noop', 'llm'), handles('llm', 'noop'), handles('noop')], [true, true, false]);
});

test('if there is nothing to mask, the view is kept', async () => {
  const view = viewOf(history(6));
  for (const spec of [
    { type: 'observation_masking', attentionWindow: 100 },
    { type: 'omit_outputs', turns: 9 },
    { type: 'browser_output_masking' },
  ] as const)
    assert.equal((await condense(spec, view)).condensed.kind, 'view', spec.type);
});

test('a message of the agent counts as a turn, one of the user does not', async () => {
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

test('llm_attention and structured show their model the events', async () => {
  const asked = async (spec: CondenserSpec) => {
    const { messages } = (await condense(spec, viewOf(history(150)))).prompts[0]!;
    assert.deepEqual(
      messages.map(({ role }) => role),
      ['user'],
    );
    return shown(messages)[0]!;
  };
  const call = 'agent\ncalls terminal: {"command":"command 1"}';
  const form = await asked({ type: 'structured', maxSize: 100 });
  assert.ok(form.includes(`<EVENT>\n${call}\n</EVENT>`));
  const choice = await asked({ type: 'llm_attention', maxSize: 100 });
  assert.ok(choice.includes(`<EVENT id=0>\n${call}\n</EVENT>\n<EVENT id=1>\nresult of terminal: output 1 `));
  const short = await asked({ type: 'llm_attention', maxSize: 100, maxEventLength: 5 });
  assert.ok(short.includes('<EVENT id=0>\nagent\n</EVENT>'));
});

test('a view of exactly the largest size is left alone, one event more is condensed', async () => {
  const kind = async (spec: CondenserSpec, length: number) =>
    (await condense(spec, viewOf(history(length)))).condensed.kind;
  const recent: CondenserSpec = { type: 'recent', maxEvents: 10 };
  assert.deepEqual([await kind(recent, 10), await kind(recent, 12)], ['view', 'messages']);
  const amortized: CondenserSpec = { type: 'amortized', maxSize: 40 };
  assert.deepEqual([await kind(amortized, 40), await kind(amortized, 42)], ['view', 'condensation']);
});

test('a prompt of exactly the largest number of tokens is left alone', async () => {
  const kind = async (spec: CondenserSpec, tokens: number, contextWindow?: number) =>
    (await condense(spec, viewOf(history(40)), { tokens: async () => tokens, contextWindow })).condensed.kind;
  const spec: CondenserSpec = { type: 'amortized', keepFirst: 2, maxTokens: 100 };
  assert.deepEqual([await kind(spec, 100), await kind(spec, 101)], ['view', 'condensation']);
  const byWindow: CondenserSpec = { type: 'amortized', keepFirst: 2 };
  assert.deepEqual(
    [await kind(byWindow, 80, 100), await kind(byWindow, 81, 100), await kind(byWindow, 1e9)],
    ['view', 'condensation', 'view'],
  );
});

test('a condensation on request or by size keeps the head and the newest events up to half', async () => {
  const left = async (spec: CondenserSpec, length: number, isRequested: boolean) => {
    const request = eventOf({ source: 'user', kind: 'CondensationRequest' }, null, countingClock());
    const all = [...history(length), ...(isRequested ? [request] : [])];
    return after(all, (await condense(spec, viewOf(all))).condensed).events.length;
  };
  // Half of 42 is 21: with the place of a summary, a head of 2 and a tail of 18.
  assert.equal(await left({ type: 'amortized', keepFirst: 2 }, 42, true), 20);
  assert.equal(await left({ type: 'amortized', keepFirst: 2, maxSize: 42 }, 50, false), 20);
  assert.equal(await left({ type: 'amortized', keepFirst: 6 }, 42, true), 20);
});

/** The numbers of the calls that llm_attention keeps of 49, when the model chooses these events. */
async function attended(ids: readonly unknown[], maxSize = 100): Promise<number[]> {
  const events = history(100);
  const spec: CondenserSpec = { type: 'llm_attention', maxSize, keepFirst: 2 };
  const request = eventOf({ source: 'user', kind: 'CondensationRequest' }, null, countingClock());
  const all = [...events, request];
  const { condensed } = await condense(spec, viewOf(all), {}, { args: { ids } });
  return after(all, condensed)
    .messages()
    .flatMap((message) => message.tool_calls ?? [])
    .map((each) => Number(/command (\d+)/.exec(each.arguments)?.[1]));
}

test('llm_attention fills the room behind the head exactly: first with what was chosen, then with the newest', async () => {
  // Half of the size is 50: 2 events at the head, and 48 others, which are 24 calls with their results.
  const newest = Array.from({ length: 24 }, (_, i) => i + 25);
  assert.deepEqual(await attended([]), newest);
  assert.deepEqual(await attended([0]), [0, ...newest.slice(1)]);
  // An event that is chosen twice, or by its call and its result, takes its room once.
  assert.deepEqual(await attended([0, 1, 0, 4, 5]), [0, 2, ...newest.slice(2)]);
  assert.deepEqual(await attended([0, 2, 4], 12), [0, 1]);
});

test('llm_attention forgets everything behind the head if there is no room for a call with its result', async () => {
  const spec: CondenserSpec = { type: 'llm_attention', maxSize: 10, keepFirst: 3 };
  const events = history(40);
  const { condensed } = await condense(spec, viewOf(events), {}, { args: { ids: [0] } });
  assert.equal(after(events, condensed).events.length, 4);
});

test('an answer without the arguments that were asked for changes nothing, and is no failure', async () => {
  for (const type of ['llm_attention', 'structured'] as const)
    for (const answer of [{ text: 'no call' }, { args: { ids: 'all' } }, { args: [] }]) {
      const spec: CondenserSpec = { type, maxSize: 100 };
      const { condensed, notes } = await condense(spec, viewOf(history(150)), {}, answer);
      assert.deepEqual([condensed.kind, notes], ['view', []], `${type} ${JSON.stringify(answer)}`);
    }
});

test('conversation_window keeps at least half of what follows the task, and cuts before a call', async () => {
  const kept = async (length: number) => {
    const request = eventOf({ source: 'user', kind: 'CondensationRequest' }, null, countingClock());
    const all = [...history(length), request];
    const { condensed } = await condense({ type: 'conversation_window' }, viewOf(all));
    return condensed.kind === 'view' ? undefined : after(all, condensed).events.length;
  };
  assert.deepEqual(await Promise.all([2, 4, 6, 8, 10, 42].map(kept)), [undefined, undefined, 4, 6, 6, 22]);
});

test('conversation_window keeps a system prompt that comes after the task', async () => {
  const [system, ...rest] = history(20);
  const request = eventOf({ source: 'user', kind: 'CondensationRequest' }, null, countingClock());
  const events = [rest[0]!, system!, ...rest.slice(1), request];
  const { condensed } = await condense({ type: 'conversation_window' }, viewOf(events));
  assert.ok(after(events, condensed).events.some(({ kind }) => kind === 'SystemPromptEvent'));
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

test('property: no condenser separates a call from its result', async () => {
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

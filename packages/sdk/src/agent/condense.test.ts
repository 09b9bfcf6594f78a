import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completionOf, EMPTY } from '../../test-support/canned-llm.ts';
import { callDraft, countingClock, observationDraft, wordsDraft } from '../../test-support/random-history.ts';
import { text } from '../event/content.ts';
import { type Draft, eventOf } from '../event/draft.ts';
import type { Message } from '../event/message.ts';
import type { LLM } from '../llm/llm.ts';
import { scriptedLlm } from '../llm/playback/scripted-llm.ts';
import { TokenMeter } from '../llm/tokens/token-meter.ts';
import { toolSetOf } from '../tool/tool-set.ts';
import { type Condensed, type Condenser, type CondenserContext, KEEP } from '../view/condensers/condenser.ts';
import { View } from '../view/view.ts';
import { type CondenseDeps, condense } from './condense.ts';

const SYSTEM: Draft = { source: 'agent', system_prompt: text('s'), tools: [], kind: 'SystemPromptEvent' };

/** A system prompt, a task, and a call with a long result, with the ids `e0` to `e3`. */
function history(): View {
  const drafts = [
    SYSTEM,
    wordsDraft('user', 'go'),
    callDraft('c', 'r'),
    observationDraft('c', 'e2', 'x'.repeat(4_000)),
  ];
  const view = new View();
  for (const [i, draft] of drafts.entries())
    view.append({ ...eventOf(draft, null, countingClock()), id: `e${i}` });
  return view;
}

/** What comes of a condenser's answer, what the condenser was given, and the notes. */
async function condensed(answer: Condensed, more: Partial<CondenseDeps> = {}) {
  const notes: string[] = [];
  let given: CondenserContext | undefined;
  const condenser: Condenser = {
    handlesRequests: true,
    condense: async (_, context) => {
      given = context;
      context.onNote('looked');
      return answer;
    },
  };
  const view = history();
  const prepared = await condense(view, {
    llm: scriptedLlm({ turns: [] }),
    tools: toolSetOf([]),
    toolSchemas: [],
    condenser,
    condenserLlm: async () => scriptedLlm({ turns: [] }),
    meter: new TokenMeter(),
    signal: new AbortController().signal,
    onNote: (note) => notes.push(note),
    ...more,
  });
  return { prepared, view, notes, given: given as CondenserContext };
}

const forgetting = (ids: readonly string[], summary?: string): Condensed => ({
  kind: 'condensation',
  condensation: {
    forgotten_event_ids: [...ids],
    ...(summary === undefined ? {} : { summary, summary_offset: 2 }),
    llm_response_id: 'c',
  },
});

test('a view that the condenser keeps is sent whole', async () => {
  const { prepared, view, notes } = await condensed(KEEP);
  assert.deepEqual(prepared, { kind: 'messages', messages: view.messages() });
  assert.deepEqual(notes, ['looked']);
});

test('the messages that a condenser shows are sent, and no event is stored', async () => {
  const messages: Message[] = [{ role: 'user', content: [text('short')] }];
  assert.deepEqual((await condensed({ kind: 'messages', messages })).prepared, {
    kind: 'messages',
    messages,
  });
});

test('a condensation that shortens the prompt is stored with what it saved', async () => {
  const { prepared } = await condensed(forgetting(['e2', 'e3'], 'in short'));
  assert.ok(prepared.kind === 'events');
  const [condensation, update] = prepared.events;
  assert.deepEqual(condensation, {
    source: 'environment',
    forgotten_event_ids: ['e2', 'e3'],
    summary: 'in short',
    summary_offset: 2,
    llm_response_id: 'c',
    kind: 'Condensation',
  });
  assert.ok(update?.kind === 'ConversationStateUpdateEvent');
  const { tokens_before: before, tokens_after: after, ...events } = update.value as { [key: string]: number };
  assert.deepEqual(
    [update.source, update.key, events],
    ['environment', 'condensation', { events_before: 4, events_after: 3 }],
  );
  assert.ok((after as number) > 0 && (after as number) < (before as number) - 900);
});

test('a condensation that does not shorten the prompt is refused, and a note says so', async () => {
  for (const ids of [[], ['no such event']]) {
    const { prepared, view, notes } = await condensed(forgetting(ids));
    assert.deepEqual(prepared, { kind: 'messages', messages: view.messages() });
    assert.match(notes[1] ?? '', /^a condensation from \d+ to \d+ tokens was refused$/);
  }
  const longer = await condensed(forgetting(['e2', 'e3'], 'y'.repeat(9_000)), { onNote: undefined });
  assert.equal(longer.prepared.kind, 'messages');
});

test('the size of a window that has to be asked for is asked for once a provider has counted', async () => {
  const model = { name: 'm', vision: false };
  const llm: LLM = { ...scriptedLlm({ turns: [] }), model, contextWindow: async () => 7_000 };
  assert.equal((await condensed(KEEP, { llm })).given.contextWindow, undefined);
  const meter = new TokenMeter();
  meter.saw(EMPTY, completionOf('hi'));
  assert.equal((await condensed(KEEP, { llm, meter })).given.contextWindow, 7_000);
  const known: LLM = { ...llm, model: { ...model, contextWindow: 9_000 } };
  assert.equal((await condensed(KEEP, { llm: known, meter })).given.contextWindow, 9_000);
  const { contextWindow: _, ...without } = llm;
  assert.equal((await condensed(KEEP, { llm: without, meter })).given.contextWindow, undefined);
});

test('the condenser is given the tokens of the prompt with its tools, its model and the signal', async () => {
  const own = scriptedLlm({ turns: [] });
  const { signal } = new AbortController();
  const bare = await condensed(KEEP, { condenserLlm: async () => own, signal });
  assert.equal(await bare.given.llm(), own);
  assert.equal(bare.given.signal, signal);
  const tokens = await bare.given.tokens(1_000_000);
  assert.ok(tokens > 900);
  const schema = { name: 'f', description: 'd'.repeat(4_000), parameters: {} };
  const { given } = await condensed(KEEP, { toolSchemas: [schema] });
  assert.ok((await given.tokens(1_000_000)) > tokens + 900);
  assert.equal(given.hiddenWhenOld({ content: [], kind: 'OtherObservation' } as never), undefined);
});

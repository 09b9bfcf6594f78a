import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Canned, cannedLlm } from '../../test-support/canned-llm.ts';
import { countingClock, wordsDraft } from '../../test-support/random-history.ts';
import { text } from '../event/content.ts';
import { type Draft, eventOf } from '../event/draft.ts';
import { LLMError } from '../llm/errors.ts';
import { TokenMeter } from '../llm/tokens/token-meter.ts';
import { toolSetOf } from '../tool/tool-set.ts';
import { type Condenser, KEEP } from '../view/condensers/condenser.ts';
import { View } from '../view/view.ts';
import { type AskDeps, ask } from './ask.ts';
import { message } from './message.ts';
import { SENDERS } from './sender.ts';

const condenser: Condenser = { handlesRequests: true, condense: async () => KEEP };

function asked(answer: Canned, more: Partial<AskDeps> = {}, ...drafts: readonly Draft[]) {
  const clock = countingClock();
  const view = new View();
  for (const draft of [wordsDraft('user', 'go'), ...drafts]) view.append(eventOf(draft, null, clock));
  return ask(view, view.messages(), {
    llm: cannedLlm('m', [answer]),
    tools: toolSetOf([]),
    toolSchemas: [],
    condenser,
    mayCondense: true,
    meter: new TokenMeter(),
    signal: new AbortController().signal,
    cacheKey: 'key',
    ...more,
  });
}

const said = (words: string, more: object = {}): Canned => ({
  message: { role: 'assistant', content: words === '' ? [] : [text(words)], thinking_blocks: [] },
  ...more,
});
const shown = (events: readonly Draft[]) =>
  events.map((event) => (event.kind === 'MessageEvent' ? (event.sender ?? event.source) : event.kind));
const failed = (code: ConstructorParameters<typeof LLMError>[0]) => new LLMError(code, 'failed');

test('text is an answer with which the run may end', async () => {
  const { events, finished } = await asked(said('done'));
  assert.deepEqual([shown(events), finished], [['agent'], 'done']);
});

test('an answer without text and calls does not end the run: the model is told to continue', async () => {
  for (const words of ['', ' \n']) {
    const { events, finished } = await asked(said(words));
    assert.deepEqual([shown(events), finished], [['agent', SENDERS.emptyAnswer], undefined]);
  }
});

test('a call that cannot be parsed does not end the run: the model is told about it', async () => {
  const { events, finished } = await asked(said('<function=', { complaint: 'send it again' }));
  assert.deepEqual([shown(events), finished], [['agent', SENDERS.unreadableCall], undefined]);
});

test('calls become actions, and those that are not valid get their error', async () => {
  const call = { id: 'c', name: 'gone', arguments: '{}', origin: 'completion' as const };
  const { events } = await asked({
    message: { role: 'assistant', content: [], thinking_blocks: [], tool_calls: [call] },
  });
  assert.deepEqual(shown(events), ['ActionEvent', 'AgentErrorEvent']);
});

test('a request that is rejected for its content is rephrased once, then it is an error', async () => {
  const refused = failed('LLMContentPolicyViolationError');
  assert.deepEqual(shown((await asked(refused)).events), [SENDERS.rejectedContent]);
  const told = message('user', 'whatever the words', { sender: SENDERS.rejectedContent });
  await assert.rejects(asked(refused, {}, told), refused);
});

test('an overflow requests a shorter history, if that may help', async () => {
  for (const code of ['LLMContextWindowExceedError', 'LLMMalformedConversationHistoryError'] as const) {
    assert.deepEqual(shown((await asked(failed(code))).events), ['CondensationRequest']);
    await assert.rejects(asked(failed(code), { mayCondense: false }), LLMError);
    await assert.rejects(
      asked(failed(code), { condenser: { ...condenser, handlesRequests: false } }),
      LLMError,
    );
  }
});

test('a request that is no shorter than one that was refused is not sent again', async () => {
  const { refused } = await asked(failed('LLMContextWindowExceedError'));
  assert.equal(refused?.error.code, 'LLMContextWindowExceedError');
  await assert.rejects(asked(said('done'), { refused }), refused.error);
  const { finished } = await asked(said('done'), { refused: { ...refused, bytes: refused.bytes + 1 } });
  assert.equal(finished, 'done');
});

test('text that was cut off at the output limit does not end the run: the model is told to continue', async () => {
  for (const words of ['I will now', '']) {
    const { events, finished } = await asked(said(words, { finish: { reason: 'length' } }));
    assert.deepEqual([shown(events), finished], [['agent', SENDERS.cutAnswer], undefined]);
  }
});

test('any other error of the model ends the run', async () => {
  await assert.rejects(asked(failed('LLMBadRequestError')), LLMError);
});

test('a system prompt that fills the window is refused before anything is sent', async () => {
  const view = new View();
  const prompt: Draft = {
    source: 'agent',
    system_prompt: text('x'.repeat(1_000)),
    tools: [],
    kind: 'SystemPromptEvent',
  };
  view.append(eventOf(prompt, null, countingClock()));
  const llm = cannedLlm('small', [said('done')], {
    model: { name: 'small', vision: false, contextWindow: 100 },
  });
  const deps = { llm, tools: toolSetOf([]), toolSchemas: [], condenser, meter: new TokenMeter() };
  const signal = new AbortController().signal;
  await assert.rejects(
    ask(view, view.messages(), { ...deps, mayCondense: true, signal, cacheKey: 'key' }),
    /small has a window of 100/,
  );
  assert.deepEqual(llm.asked, []);
});

test('onPrompt gets the prompt before it is sent, and whether it shows less than the history', async () => {
  const notices: boolean[] = [];
  await asked(said('done'), { onPrompt: ({ masked }) => notices.push(masked) });
  assert.deepEqual(notices, [false]);
});

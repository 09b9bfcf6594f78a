import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  countingClock,
  errorDraft,
  observationDraft,
  wordsDraft,
} from '../../../test-support/random-history.ts';
import { message } from '../../agent/message.ts';
import { SENDERS } from '../../agent/sender.ts';
import { type Draft, eventOf } from '../../event/draft.ts';
import { describedTools } from './replay.ts';
import { reworded } from './reworded.ts';

const recorded = (draft: Draft) => eventOf(draft, null, countingClock());
const told = (words: string, sender?: string) => message('environment', words, { sender });
const OLD_WORDS =
  'You have 5 turns left. Bring what you are doing to an end that can be used, and call finish with what is left to do.';

test('a message of the engine is given the recorded words if it was sent for the same cause', () => {
  const now = told('hurry', SENDERS.turnsLeft);
  assert.deepEqual(
    reworded(now, recorded(told('be quick', SENDERS.turnsLeft))),
    told('be quick', SENDERS.turnsLeft),
  );
  assert.deepEqual(reworded(now, recorded(told('be quick', SENDERS.emptyAnswer))), now);
});

test('in a record without senders, a message is recognised by its old words, and loses its sender', () => {
  const now = told('hurry', SENDERS.turnsLeft);
  assert.deepEqual(reworded(now, recorded(told(OLD_WORDS))), told(OLD_WORDS));
  assert.deepEqual(reworded(now, recorded(told('something else'))), told('hurry'));
  assert.deepEqual(
    reworded(told('x', SENDERS.emptyAnswer), recorded(told(OLD_WORDS))),
    told('x', SENDERS.emptyAnswer),
  );
});

test('what a person or the agent says is left as it is', () => {
  for (const draft of [wordsDraft('user', 'go'), wordsDraft('agent', 'done')])
    assert.equal(reworded(draft, recorded(wordsDraft('user', 'other'))), draft);
});

test('errors are given the recorded words if they are of the same call, or have the same code', () => {
  assert.deepEqual(
    reworded(errorDraft('a', 'now'), recorded(errorDraft('a', 'then'))),
    errorDraft('a', 'then'),
  );
  assert.deepEqual(
    reworded(errorDraft('a', 'now'), recorded(errorDraft('b', 'then'))),
    errorDraft('a', 'now'),
  );
  const failed = (code: string, detail: string): Draft =>
    ({ source: 'environment', code, detail, classification: {}, kind: 'ConversationErrorEvent' }) as never;
  assert.deepEqual(reworded(failed('A', 'now'), recorded(failed('A', 'then'))), failed('A', 'then'));
  assert.deepEqual(reworded(failed('A', 'now'), recorded(failed('B', 'then'))), failed('A', 'now'));
});

test('a draft of another kind than the record, or after its end, is left as it is', () => {
  const now = told('hurry', SENDERS.turnsLeft);
  for (const other of [undefined, recorded(errorDraft('a'))]) assert.equal(reworded(now, other), now);
  const failed = {
    source: 'environment',
    code: 'A',
    detail: 'now',
    kind: 'ConversationErrorEvent',
  } as never as Draft;
  const alike = { ...failed, detail: 'then', kind: 'SomeoneElsesError' } as never as Draft;
  assert.equal(reworded(failed, recorded(alike)), failed);
  assert.equal(reworded(alike, recorded(failed)), alike);
  const error = errorDraft('a');
  for (const draft of [failed, error]) assert.equal(reworded(draft, undefined), draft);
  const result = observationDraft('a', 'e0');
  assert.equal(reworded(error, recorded(result)), error);
  assert.equal(reworded(result, recorded(error)), result);
  assert.equal(reworded(result, recorded(now)), result);
});

test('the tools are described by the first system prompt; without one there are none', () => {
  const tools = [{ title: 't' }] as never;
  const prompt: Draft = {
    source: 'agent',
    system_prompt: { type: 'text', text: 's' },
    tools,
    kind: 'SystemPromptEvent',
  };
  assert.deepEqual(describedTools([recorded(wordsDraft('user', 'go')), recorded(prompt)]), tools);
  assert.deepEqual(describedTools([recorded(wordsDraft('user', 'go'))]), []);
});

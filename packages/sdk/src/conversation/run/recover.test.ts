import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import {
  callDraft,
  countingClock,
  errorDraft,
  observationDraft,
  wordsDraft,
} from '../../../test-support/random-history.ts';
import { type Draft, eventOf } from '../../event/draft.ts';
import { ROOT } from '../../event/identity.ts';
import { MemoryEventLog } from '../../log/memory-event-log.ts';
import { defineTool } from '../../tool/define-tool.ts';
import { toolSetOf } from '../../tool/tool-set.ts';
import type { Leftovers } from '../../workspace/workspace.ts';
import { History } from '../state/history.ts';
import { stateUpdate, statusUpdate } from '../state/state.ts';
import type { Status } from '../state/status.ts';
import { endedText, movedHead, recover } from './recover.ts';

const tool = (name: string, more: object = {}) =>
  defineTool({ name, description: 'd', input: z.object({}), run: () => 'ok', ...more });
const tools = toolSetOf([
  tool('terminal'),
  tool('look', { annotations: { readOnlyHint: true } }),
  tool('finish', { endsRun: true }),
]);

const of = (name: string, draft: Draft): Draft => ({ ...draft, tool_name: name }) as Draft;

/** What a crash of a conversation with these events and this status leaves to do. */
function recovered(status: Status, ...drafts: readonly Draft[]): string[] {
  return recover(historyOf(status, drafts), tools).map((event) =>
    event.kind === 'ConversationStateUpdateEvent' ? String(event.value) : event.kind,
  );
}

function historyOf(status: Status, drafts: readonly Draft[]): History {
  const clock = countingClock();
  const history = new History(new MemoryEventLog());
  for (const [i, draft] of [wordsDraft('user', 'go'), statusUpdate(status), ...drafts].entries()) {
    const event = { ...eventOf(draft, history.state.leafId, clock), id: `event-${i}` };
    history.apply(event);
  }
  return history;
}

const call = callDraft('c', 'r');

test('a call that may have had an effect is answered with an error', () => {
  assert.deepEqual(recovered('running', call), ['AgentErrorEvent']);
});

test('the error of a cut call says which programs were ended, and that others may still be running', () => {
  const after = (leftovers: Leftovers | null) => {
    const [event] = recover(historyOf('running', [call]), tools, leftovers);
    assert.equal(event?.kind, 'AgentErrorEvent');
    return (event as Extract<Draft, { kind: 'AgentErrorEvent' }>).error;
  };
  const plain = after(null);
  assert.doesNotMatch(plain, /program/i);
  assert.equal(after({ ended: 0, isSure: true }), plain);
  const one = ' 1 program was still running when the conversation was resumed, and was ended.';
  assert.equal(after({ ended: 1, isSure: true }), plain + one);
  const unsure = ' Programs that the call started may still be running: look for them, and end them.';
  assert.equal(after({ ended: 0, isSure: false }), plain + unsure);
  assert.equal(after({ ended: 1, isSure: false }), plain + one + unsure);
});

test('a call that only reads stays open: the next run executes it again', () => {
  assert.deepEqual(recovered('running', of('look', call)), []);
});

test('a call that was not valid is answered with an error, whatever its tool', () => {
  const { action: _, ...invalid } = of('look', call) as Extract<Draft, { kind: 'ActionEvent' }>;
  assert.deepEqual(recovered('running', invalid), ['AgentErrorEvent']);
});

test('calls that wait for consent keep waiting', () => {
  assert.deepEqual(recovered('waiting_for_confirmation', call), []);
});

test('a run whose last words are stored has finished', () => {
  assert.deepEqual(recovered('running', wordsDraft('agent', 'done')), ['finished']);
  assert.deepEqual(recovered('running', wordsDraft('agent', ' ')), []);
  assert.deepEqual(recovered('idle', wordsDraft('agent', 'done')), []);
});

test('a run whose final call has its result has finished; the calls behind it are answered', () => {
  const finish = of('finish', call);
  const result = of('finish', observationDraft('c', 'event-2'));
  assert.deepEqual(recovered('running', finish, result), ['finished']);
  assert.deepEqual(recovered('running', finish, of('finish', errorDraft('c'))), []);
  const behind = callDraft('d', 'r');
  assert.deepEqual(recovered('running', finish, behind, result, errorDraft('d')), ['finished']);
});

test('a result of another tool does not end the run', () => {
  assert.deepEqual(recovered('running', call, observationDraft('c', 'event-2')), []);
});

test('a final call that failed, or that was answered with an error, does not end the run', () => {
  const finish = of('finish', call);
  const result = of('finish', observationDraft('c', 'event-2')) as Extract<
    Draft,
    { kind: 'ObservationEvent' }
  >;
  const failed: Draft = { ...result, observation: { ...result.observation, is_error: true } };
  assert.deepEqual(recovered('running', finish, failed), []);
  assert.deepEqual(recovered('running', finish, of('unknown', result)), []);
});

test('words of the user or of the engine do not end the run', () => {
  assert.deepEqual(recovered('running', wordsDraft('user', 'more')), []);
  assert.deepEqual(recovered('running', wordsDraft('environment', 'more')), []);
});

test('calls that were cut are answered before the run is called finished', () => {
  const finish = of('finish', call);
  const result = of('finish', observationDraft('c', 'event-2'));
  assert.deepEqual(recovered('running', finish, callDraft('d', 'r'), result), [
    'AgentErrorEvent',
    'finished',
  ]);
  assert.deepEqual(recovered('running', of('unknown', call)), ['AgentErrorEvent']);
});

test('the number of programs that were ended is told in words', () => {
  const rest = 'still running when the conversation was resumed, and';
  assert.deepEqual([1, 2].map(endedText), [
    `1 program was ${rest} was ended.`,
    `2 programs were ${rest} were ended.`,
  ]);
});

test('a move of HEAD by another program is recorded, with where it is', () => {
  const history = historyOf('idle', []);
  assert.deepEqual(movedHead(history), []);
  history.moveTo('event-0');
  assert.deepEqual(movedHead(history), [stateUpdate('leaf_event_id', 'event-0')]);
  history.moveTo(null);
  assert.deepEqual(movedHead(history), [stateUpdate('leaf_event_id', ROOT)]);
});

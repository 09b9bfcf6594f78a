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
import { MemoryEventLog } from '../../log/memory-event-log.ts';
import { defineTool } from '../../tool/define-tool.ts';
import { toolSetOf } from '../../tool/tool-set.ts';
import { History } from '../state/history.ts';
import { statusUpdate } from '../state/state.ts';
import type { Status } from '../state/status.ts';
import { recover } from './recover.ts';

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
  const clock = countingClock();
  const history = new History(new MemoryEventLog());
  for (const [i, draft] of [wordsDraft('user', 'go'), statusUpdate(status), ...drafts].entries()) {
    const event = { ...eventOf(draft, history.state.leafId, clock), id: `event-${i}` };
    history.apply(event);
  }
  return recover(history, tools).map((event) =>
    event.kind === 'ConversationStateUpdateEvent' ? String(event.value) : event.kind,
  );
}

const call = callDraft('c', 'r');

test('a call that may have had an effect is answered with an error', () => {
  assert.deepEqual(recovered('running', call), ['AgentErrorEvent']);
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

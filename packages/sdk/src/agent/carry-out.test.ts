import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { callDraft, countingClock } from '../../test-support/random-history.ts';
import type { Draft } from '../event/draft.ts';
import { eventOf } from '../event/draft.ts';
import type { ActionEvent } from '../event/kinds.ts';
import { defineTool } from '../tool/define-tool.ts';
import { Locks } from '../tool/locks.ts';
import { ToolError } from '../tool/tool.ts';
import { toolSetOf } from '../tool/tool-set.ts';
import { type CarryOutDeps, carryOut } from './carry-out.ts';

/** Calls of tools, in order, with the ids call-0, call-1, ... */
function actionsOf(...names: readonly string[]): readonly ActionEvent[] {
  const clock = countingClock();
  return names.map((name, i) => {
    const draft = callDraft(`call-${i}`, 'response') as Draft & { kind: 'ActionEvent' };
    const [tool = ''] = name.split(' ');
    const action = { kind: 'TestAction', words: name };
    return eventOf({ ...draft, tool_name: tool, action }, null, clock) as ActionEvent;
  });
}

/** Tools that note what they ran: `note` and `finish`, which fails if its words say so; `look` only reads. */
function scene(more: Partial<CarryOutDeps> = {}) {
  const ran: string[] = [];
  const input = z.object({ words: z.string() });
  const run = ({ words }: { words: string }) => {
    ran.push(words);
    if (words.endsWith('fail')) throw new ToolError('it failed');
    return words;
  };
  const tools = toolSetOf([
    defineTool({ name: 'note', description: 'd', input, run }),
    defineTool({ name: 'finish', description: 'd', input, run, endsRun: true }),
    defineTool({ name: 'look', description: 'd', input, run, annotations: { readOnlyHint: true } }),
    defineTool({
      name: 'room',
      description: 'd',
      input,
      run: (_, { requestCondensation }) => {
        requestCondensation();
        return 'ok';
      },
    }),
  ]);
  const deps = {
    tools,
    locks: new Locks(),
    signal: new AbortController().signal,
    workspace: {},
    conversation: { id: 'c' },
    onStart: () => undefined,
    onProgress: () => undefined,
    ...more,
  } as unknown as CarryOutDeps;
  const results = async (...names: readonly string[]) => {
    const found = [];
    for await (const each of carryOut(actionsOf(...names), deps)) found.push(each);
    return found;
  };
  return { ran, results };
}

const shown = (events: readonly Draft[]) =>
  events.map((event) => ('tool_call_id' in event ? `${event.kind} ${event.tool_call_id}` : event.kind));

test('results come one by one, in the order of the calls', async () => {
  const { results, ran } = scene();
  const found = await results('note a', 'look b', 'look c');
  assert.deepEqual(
    found.map(({ events }) => shown(events)),
    [['ObservationEvent call-0'], ['ObservationEvent call-1'], ['ObservationEvent call-2']],
  );
  assert.deepEqual(ran, ['note a', 'look b', 'look c']);
});

test('each call behind one that ends the run gets an error result, stored with the end, and is not executed', async () => {
  const { results, ran } = scene();
  const [, last, ...none] = await results('note a', 'finish', 'note b', 'look c');
  assert.deepEqual(none, []);
  assert.equal(last?.finished, 'finish');
  assert.deepEqual(shown(last?.events ?? []), [
    'ObservationEvent call-1',
    'AgentErrorEvent call-2',
    'AgentErrorEvent call-3',
  ]);
  assert.deepEqual(ran, ['note a', 'finish']);
});

test('a call that was to end the run and failed ends nothing: those behind it are executed', async () => {
  const { results, ran } = scene();
  const found = await results('finish fail', 'note b');
  assert.deepEqual(
    found.map(({ finished }) => finished),
    [undefined, undefined],
  );
  assert.deepEqual(ran, ['finish fail', 'note b']);
});

test('a hook that refuses a call takes the place of its result; the other calls are executed', async () => {
  const executed: Draft = { source: 'environment', kind: 'CondensationRequest' };
  const { results, ran } = scene({
    beforeTool: async ({ tool_call_id: id }) =>
      id === 'call-0' ? { events: [executed], refusal: 'not that' } : { events: [] },
  });
  const found = await results('note a', 'note b');
  assert.deepEqual(
    found.map(({ events }) => shown(events)),
    [['CondensationRequest'], ['UserRejectObservation call-0'], ['ObservationEvent call-1']],
  );
  assert.deepEqual(ran, ['note b']);
});

test('what hooks say of a result is stored after it, knowledge of its files with it', async () => {
  const beside: Draft = { source: 'environment', key: 'k', value: 1, kind: 'ConversationStateUpdateEvent' };
  const after: Draft = { source: 'environment', kind: 'CondensationRequest' };
  const { results } = scene({
    enrich: async (_, result) => [result, beside],
    afterTool: async () => [after],
  });
  const found = await results('note a');
  assert.deepEqual(
    found.map(({ events }) => shown(events)),
    [['ObservationEvent call-0', 'ConversationStateUpdateEvent'], ['CondensationRequest']],
  );
});

test('a tool that asks for room gets a request with its result', async () => {
  const { results } = scene();
  const [found] = await results('room');
  assert.deepEqual(shown(found?.events ?? []), ['ObservationEvent call-0', 'CondensationRequest']);
});

test('after an abort no further call is begun', async () => {
  const abort = new AbortController();
  const { results, ran } = scene({
    signal: abort.signal,
    afterTool: async () => {
      abort.abort(new Error('stop'));
      return [];
    },
  });
  assert.equal((await results('note a', 'note b')).length, 1);
  assert.deepEqual(ran, ['note a']);
});

test('a call without an action, or of a tool that is gone, is answered with an error', async () => {
  const { results } = scene();
  const [found] = await results('gone');
  assert.deepEqual(shown(found?.events ?? []), ['AgentErrorEvent call-0']);
});

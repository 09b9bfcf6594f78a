import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as z from 'zod';
import { callDraft, countingClock } from '../../test-support/random-history.ts';
import type { Draft } from '../event/draft.ts';
import { eventOf } from '../event/draft.ts';
import type { ActionEvent } from '../event/kinds.ts';
import { defineTool } from '../tool/define-tool.ts';
import { Locks, LockTimeoutError } from '../tool/locks.ts';
import { ToolError } from '../tool/tool.ts';
import { toolSetOf } from '../tool/tool-set.ts';
import { type CarryOutDeps, carryOut } from './carry-out.ts';

/** Calls of tools, in order, with the ids call-0, call-1, ... */
function actionsOf(...names: readonly string[]): readonly ActionEvent[] {
  const clock = countingClock();
  return names.map((name, i) => {
    const draft = callDraft(`call-${i}`, 'response') as Draft & { kind: 'ActionEvent' };
    const [tool = ''] = name.split(' ');
    const action = { kind: 'TestAction', words: name, data: { words: name } };
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
    isApproved: () => false,
    awaitsConsent: () => false,
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

test('each call after one that ends the run gets an error result, stored with the end, and is not executed', async () => {
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

test('a call that should end the run and failed does not end it: those after it are executed', async () => {
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
  const seen: string[] = [];
  const { results, ran } = scene({
    beforeTool: async ({ tool_call_id: id }) =>
      id === 'call-0' ? { events: [executed], refusal: 'not that' } : { events: [] },
    enrich: async (_, result) => [result],
    afterTool: async ({ tool_call_id: id }) => {
      seen.push(id);
      return [];
    },
  });
  const found = await results('note a', 'note b');
  assert.deepEqual(
    found.map(({ events }) => shown(events)),
    [['CondensationRequest'], ['UserRejectObservation call-0'], ['ObservationEvent call-1']],
  );
  assert.deepEqual([ran, seen], [['note b'], ['call-1']]);
});

test('what hooks add to a result is stored after it, and knowledge about its files with it', async () => {
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

test('a tool that requests a condensation gets a request event after its result', async () => {
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

/** The most calls that ran at the same time. */
async function widest(
  names: readonly string[],
  { toolConcurrency, ...traits }: { readonly toolConcurrency?: number; readonly [trait: string]: unknown },
): Promise<number> {
  let running = 0;
  let most = 0;
  const run = async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, 5));
    running -= 1;
    return 'ok';
  };
  const input = z.object({ words: z.string() });
  const tools = toolSetOf(
    [...new Set(names)].map((name) =>
      defineTool({ name, description: 'd', input, run, resources: () => [], ...traits }),
    ),
  );
  const { results } = scene({ tools, ...(toolConcurrency === undefined ? {} : { toolConcurrency }) });
  assert.equal((await results(...names)).length, names.length);
  return most;
}

test('calls run in parallel only if they read or are isolated, at most eight at a time', async () => {
  const ten = Array<string>(10).fill('t');
  assert.equal(await widest(ten, {}), 1);
  assert.equal(await widest(ten, { annotations: { readOnlyHint: true } }), 8);
  assert.equal(await widest(ten, { isolated: true }), 8);
  assert.equal(await widest(ten, { toolConcurrency: 3 }), 3);
  assert.equal(await widest(ten, { annotations: { readOnlyHint: true }, resources: undefined }), 1);
  assert.equal(await widest(['a', 'b'], { annotations: { readOnlyHint: true }, resources: undefined }), 2);
});

test('the files that a call holds are compared by their real path, or by their name where there is none', async () => {
  const held: (readonly string[])[] = [];
  const locks = {
    with: async (keys: readonly string[], _: AbortSignal, act: () => Promise<unknown>) => {
      held.push(keys);
      return await act();
    },
  } as unknown as Locks;
  const workspace = {
    realPath: async (path: string) => {
      if (path === 'gone') throw new Error('no such file');
      return `/real/${path}`;
    },
  };
  const input = z.object({ words: z.string() });
  const run = () => 'ok';
  const tools = toolSetOf([
    defineTool({
      name: 'edit',
      description: 'd',
      input,
      run,
      resources: ({ words }) => [`file:${words.split(' ')[1]}`, 'page'],
    }),
    defineTool({ name: 'plain', description: 'd', input, run }),
  ]);
  const { results } = scene({ tools, locks, workspace } as unknown as Partial<CarryOutDeps>);
  await results('edit there', 'edit gone', 'plain', 'unknown');
  assert.deepEqual(held, [['file:/real/there', 'page@c'], ['file:gone', 'page@c'], ['tool:plain@c'], []]);
});

test('a call whose resources cannot be named, or are held for too long, is answered with the reason', async () => {
  const input = z.object({ words: z.string() });
  const answerOf = async (more: Partial<CarryOutDeps>, resources: () => readonly string[]) => {
    const tool = defineTool({ name: 't', description: 'd', input, run: () => 'ok', resources });
    const [found] = await scene({ tools: toolSetOf([tool]), ...more }).results('t');
    const [result, ...beside] = found?.events ?? [];
    assert.deepEqual(beside, []);
    return result?.kind === 'AgentErrorEvent' ? result.error : result?.kind;
  };
  const throwing = (error: unknown) => () => {
    throw error;
  };
  assert.equal(await answerOf({}, throwing(new RangeError('too far'))), 'RangeError: too far');
  assert.equal(await answerOf({}, throwing('just words')), 'just words');
  const locks = { with: async () => Promise.reject(new LockTimeoutError('x', 1_000)) } as unknown as Locks;
  assert.match(
    String(await answerOf({ locks }, () => [])),
    /Send the call again when the other call has finished\.$/,
  );
});

test('a tool whose input is wrapped names its resources by the input itself', async () => {
  const given: object[] = [];
  const tool = {
    ...defineTool({ name: 't', description: 'd', input: z.object({ words: z.string() }), run: () => 'ok' }),
    wrapsInput: true,
    resources: (input: object) => {
      given.push(input);
      return [];
    },
  };
  const { results } = scene({ tools: toolSetOf([tool]) });
  await results('t');
  assert.deepEqual(given, [{ words: 't' }]);
});

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { Agent } from '../../agent/agent.ts';
import { textOf } from '../../event/content.ts';
import { type ScriptedTurn, scriptedLlm } from '../../llm/playback/scripted-llm.ts';
import { defineTool } from '../../tool/define-tool.ts';
import { Locks } from '../../tool/locks.ts';
import type { ToolFactory } from '../../tool/tool.ts';
import { openLocalWorkspace } from '../../workspace/local-workspace.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { Conversation } from '../conversation.ts';

let folder: string;
let log: string[];
/** Those who have come, and what lets all of them go. */
let arrived: string[];
let meeting: PromiseWithResolvers<void>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-parallel-'));
  log = [];
  arrived = [];
  meeting = Promise.withResolvers();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const input = z.object({ name: z.string(), of: z.number().default(1) });
type Input = z.output<typeof input>;

/** Comes back when `of` of them are there, the later the sooner it was called. */
async function meet({ name, of }: Input) {
  log.push(`begin ${name}`);
  arrived.push(name);
  if (arrived.length >= of) meeting.resolve();
  await meeting.promise;
  await sleep(name === 'a' ? 20 : 1);
  log.push(`end ${name}`);
  return { content: [{ type: 'text' as const, text: name }], is_error: false };
}

function tool(name: string, more: object): ToolFactory {
  return {
    name,
    create: () => [
      defineTool({
        name,
        kind: { tool: name, action: `${name}Action`, observation: `${name}Observation` },
        description: name,
        input: input as z.ZodType<Input>,
        annotations: {
          readOnlyHint: false,
          destructiveHint: false,
          idempotentHint: false,
          openWorldHint: false,
        },
        run: meet,
        ...more,
      }),
    ],
  };
}

const readOnly = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const factories = [
  tool('read', { annotations: readOnly, resources: () => [] }),
  tool('look', { annotations: readOnly }),
  tool('write', { resources: ({ name }: Input) => [`file:/${name}`] }),
  tool('append', { resources: ({ name }: Input) => [`file:/link-${name}`] }),
  tool('isolated', { isolated: true, resources: () => [] }),
  tool('finish', { annotations: readOnly, endsRun: true, resources: () => [] }),
];

const call = (name: string, args: object) => ({ name, arguments: { ...args } });

async function run(
  turn: ScriptedTurn['tool_calls'],
  agent: Partial<Agent> = {},
  { workspace = openLocalWorkspace(folder), locks }: { workspace?: Workspace; locks?: Locks } = {},
) {
  const conversation = await Conversation.open({
    agent: {
      llm: { model: 'scripted/x' },
      tools: factories.map(({ name }) => ({ name, params: {} })),
      ...agent,
    },
    model: { llm: scriptedLlm({ turns: [{ tool_calls: turn ?? [] }, { text: 'done' }] }) },
    tools: factories,
    workspace,
    parent: { locks },
  });
  await conversation.send('go');
  const outcome = await conversation.run();
  const results = conversation.view.events.flatMap((event) =>
    event.kind === 'ObservationEvent' ? [textOf(event.observation.content as never)] : [],
  );
  await conversation.close();
  return { outcome, results };
}

test('read-only calls run in parallel, and their results come in the order of the calls', async () => {
  const { results } = await run(['a', 'b', 'c'].map((name) => call('read', { name, of: 3 })));
  assert.deepEqual(results, ['a', 'b', 'c']);
  assert.deepEqual(log.slice(0, 3), ['begin a', 'begin b', 'begin c']);
  assert.equal(log.at(-1), 'end a');
});

test('calls of a tool that does not name its resources run one after another, and none times out waiting', async () => {
  const calls = [call('look', { name: 'a' }), call('look', { name: 'b' }), call('read', { name: 'c' })];
  const { results } = await run(calls, {}, { locks: new Locks(() => 1) });
  assert.deepEqual(results, ['a', 'b', 'c']);
  assert.deepEqual(log.slice(0, 3), ['begin a', 'end a', 'begin b']);
});

test('a call that changes something waits for those before it, and those after it wait for it', async () => {
  await run([
    call('read', { name: 'a' }),
    call('write', { name: 'b' }),
    call('isolated', { name: 'c', of: 4 }),
    call('isolated', { name: 'd', of: 4 }),
  ]);
  assert.deepEqual(log, [
    ...['begin a', 'end a', 'begin b', 'end b', 'begin c', 'begin d'],
    ...log.slice(6).toSorted(),
  ]);
});

test('with a concurrency above one, calls that change something run in parallel, too, unless they hold the same resource', async () => {
  await run(
    [
      call('write', { name: 'a', of: 2 }),
      call('write', { name: 'b', of: 2 }),
      call('write', { name: 'b', of: 2 }),
    ],
    { toolConcurrency: 3 },
  );
  assert.deepEqual(log.slice(0, 2), ['begin a', 'begin b']);
  assert.ok(log.indexOf('end b') < log.lastIndexOf('begin b'));
});

test('calls that hold the same resource run in order, however long it takes to find out what they hold', async () => {
  const local = openLocalWorkspace(folder);
  const slowFirst: Workspace = {
    ...local,
    realPath: async (path) => {
      if (path === '/link-a') await sleep(20);
      return '/one-file';
    },
  };
  const calls = ['a', 'b', 'c'].map((name) => call('append', { name }));
  await run(calls, { toolConcurrency: 3 }, { workspace: slowFirst });
  assert.deepEqual(log, ['begin a', 'end a', 'begin b', 'end b', 'begin c', 'end c']);
});

test('calls after one that ends the run get a result and are not executed', async () => {
  const { outcome, results } = await run([
    call('read', { name: 'a' }),
    call('finish', { name: 'end' }),
    call('read', { name: 'late' }),
  ]);
  assert.deepEqual([outcome, results], [{ kind: 'finished', message: 'end' }, ['a', 'end']]);
  assert.equal(log.includes('begin late'), false);
});

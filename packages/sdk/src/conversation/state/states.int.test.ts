/** The edges between statuses are those of docs/reference/states.md: no other is ever written, and each of them is. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { call, openInMemory, statusesIn } from '../../../test-support/open-in-memory.ts';
import { parseEvent } from '../../event/codec.ts';
import type { Event } from '../../event/kinds.ts';
import type { ScriptedTurn } from '../../llm/playback/scripted-llm.ts';
import { withEnding } from '../../trajectory/imported.ts';
import type { OpenOptions } from '../open-options.ts';
import { conversationDirectory } from '../store/location.ts';

const PAGE = join(import.meta.dirname, '../../../../../docs/reference/states.md');

function edgesOf(events: readonly Event[]): readonly string[] {
  const statuses = ['idle', ...statusesIn(events)];
  return statuses.slice(1).map((status, i) => `${statuses[i]} -> ${status}`);
}

function allowedEdges(): readonly string[] {
  const [, table = ''] = readFileSync(PAGE, 'utf8').split('<!-- edges -->');
  return [...table.matchAll(/^\| `(\w+)` \| `(\w+)` \|/gm)].map(([, from, to]) => `${from} -> ${to}`);
}

const acts = (words: string): ScriptedTurn => ({ tool_calls: [call(words)] });
const FINISH: ScriptedTurn = { tool_calls: [call('done', 'finish')] };

type Scene = (t: TestContext) => Promise<readonly Event[]>;

/** A conversation with a message, driven by `drive`, as its events. */
function scene(
  turns: readonly ScriptedTurn[],
  drive: (conversation: Awaited<ReturnType<typeof openInMemory>>['conversation']) => Promise<unknown>,
  options: Partial<OpenOptions> = {},
): Scene {
  return async (t) => {
    const { conversation, log } = await openInMemory(t, turns, options);
    await conversation.send('go');
    await drive(conversation);
    return log();
  };
}

const SCENES: { readonly [name: string]: Scene } = {
  'it finishes, and gets another message': scene([FINISH], async (c) => {
    await c.run();
    await c.send('more');
  }),
  'it is paused and continued': scene([acts('a'), FINISH], async (c) => {
    const off = c.subscribe({ onEvent: ({ kind }) => kind === 'ActionEvent' && c.pause() });
    await c.run();
    off();
    await c.run();
  }),
  'it is at its limit, and continued': scene(
    [acts('a'), acts('b')],
    async (c) => {
      await c.run();
      await c.run();
    },
    { limits: { maxIterations: 1 } },
  ),
  'it is stuck, run again, and told what to do': scene(Array(9).fill(acts('a')), async (c) => {
    await c.run();
    await c.run();
    await c.send('stop that');
  }),
  'it waits for consent, is run without it, and gets it': scene(
    [acts('a'), FINISH],
    async (c) => {
      await c.run();
      await c.run();
      await c.approve();
      await c.run();
    },
    { oversight: { confirmation: { kind: 'AlwaysConfirm' } } },
  ),
  'the user ends it': scene([], async (c) => {
    await c.send('/exit');
    await c.run();
  }),
  'it was killed while it ran, and is continued': killed,
  'it was imported': async (t) => {
    const finished = await SCENES['it finishes, and gets another message']?.(t);
    return withEnding(
      (finished ?? []).filter(({ kind }) => kind !== 'ConversationStateUpdateEvent').slice(0, -1),
    );
  },
};

/** What a killed process leaves: the events up to its status `running`. */
async function killed(t: TestContext): Promise<readonly Event[]> {
  const conversationsDir = mkdtempSync(join(tmpdir(), 'longhand-states-'));
  t.after(() => rmSync(conversationsDir, { recursive: true, force: true }));
  const place = { conversationsDir, durability: 'process' as const };
  const first = await openInMemory(t, [FINISH], { place });
  await first.conversation.send('go');
  await first.conversation.run();
  await first.conversation.close();
  const { id } = first.conversation;
  const folder = join(conversationDirectory(conversationsDir, id), 'events');
  const read = (name: string) => parseEvent(readFileSync(join(folder, name), 'utf8'));
  const files = readdirSync(folder)
    .filter((name) => /^event-\d+-.*\.json$/.test(name))
    .toSorted();
  const running = files.findIndex((name) => statusesIn([read(name)])[0] === 'running');
  for (const name of files.slice(running + 1)) rmSync(join(folder, name));
  const again = await openInMemory(t, [FINISH], { place: { ...place, id } });
  await again.conversation.run();
  return again.log();
}

test('the statuses of conversations change along the edges of docs/reference/states.md, and along each of them', async (t) => {
  const seen = new Set<string>();
  const allowed = allowedEdges();
  for (const [name, play] of Object.entries(SCENES)) {
    const edges = edgesOf(await play(t));
    assert.deepEqual(
      edges.filter((edge) => !allowed.includes(edge)),
      [],
      name,
    );
    for (const edge of edges) seen.add(edge);
  }
  assert.deepEqual([...seen].toSorted(), [...allowed].toSorted());
});

test('to navigate makes a conversation idle, whatever it was', async (t) => {
  const { conversation, log } = await openInMemory(t, [FINISH]);
  await conversation.send('go');
  await conversation.run();
  await conversation.navigate(null);
  assert.equal(edgesOf(log()).at(-1), 'finished -> idle');
});

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { countingClock, wordsDraft } from '../../../test-support/random-history.ts';
import { serializeEvent } from '../../event/codec.ts';
import { eventOf } from '../../event/draft.ts';
import type { Event } from '../../event/kinds.ts';
import type { RecordedExchange } from '../../llm/playback/cassette.ts';
import { FileEventLog } from '../../log/file-event-log.ts';
import { cassetteReplaySource, storedReplaySource } from './replay-source.ts';

const clock = countingClock();
const said = (words: string, parent: Event | null) =>
  eventOf(wordsDraft('user', words), parent?.id ?? null, clock);
const status = (parent: Event): Event =>
  eventOf(
    {
      source: 'environment',
      key: 'execution_status',
      value: 'running',
      kind: 'ConversationStateUpdateEvent',
    },
    parent.id,
    clock,
  );
const root = said('go', null);
const left = said('left', root);
const right = said('right', root);
const rightEnd = said('and on', right);
const ALL = [root, left, status(left), right, status(right), rightEnd];

const AGENT = { llm: { model: 'm', usage_id: 'u' }, tools: [{ name: 'echo', params: {} }] };
const STATE = { id: 'the id', agent: AGENT, workspace: { working_dir: '/w' } };

/** A cassette on which these events are. */
const cassette = (state: object, events: readonly Event[], exchanges: readonly RecordedExchange[] = []) => ({
  header: { cassette: 1, state: state as { readonly [key: string]: unknown } } as const,
  exchanges,
  events: events.map((event) => JSON.parse(serializeEvent(event))),
});

test('a cassette is replayed from its active branch, with its requests', async () => {
  const exchanges: RecordedExchange[] = [{ type: 'exchange', usage_id: 'u', keep: 0, messages: [] }];
  const { agent, ...source } = await cassetteReplaySource(cassette(STATE, ALL, exchanges));
  assert.deepEqual(source, {
    id: 'the id',
    events: [root, right, rightEnd],
    omitted: { bookkeeping: 2, otherBranches: 1 },
    workingDir: '/w',
    exchanges,
  });
  assert.deepEqual([agent.llm.model, agent.llm.usageId, agent.tools], ['m', 'u', AGENT.tools]);
});

test('the working folder of a cassette that names none is the root', async () => {
  const { workingDir } = await cassetteReplaySource(cassette({ id: 'i', agent: AGENT }, ALL));
  assert.equal(workingDir, '/');
});

test('a cassette that names no agent cannot be replayed', async () => {
  await assert.rejects(cassetteReplaySource(cassette({ id: 'i' }, ALL)), /names no agent/);
});

test('a folder is replayed on the branch that is active, and is not changed', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-source-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const missing = join(folder, 'missing');
  await assert.rejects(storedReplaySource(missing), { code: 'not_found' });
  assert.equal(existsSync(missing), false);

  const log = await FileEventLog.open(folder, { durability: 'process' });
  await log.append(...ALL);
  await log.close();
  await assert.rejects(storedReplaySource(folder), /has no base_state\.json/);
  // As the reference stores it, which keeps HEAD there only.
  writeFileSync(join(folder, 'base_state.json'), JSON.stringify({ ...STATE, leaf_event_id: left.id }));
  const { agent, requests, ...source } = await storedReplaySource(folder);
  assert.deepEqual(source, {
    id: 'the id',
    events: [root, left],
    omitted: { bookkeeping: 2, otherBranches: 2 },
    workingDir: '/w',
  });
  assert.deepEqual([agent.llm.model, requests?.behind(root.id)], ['m', []]);
});

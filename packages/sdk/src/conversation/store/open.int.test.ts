import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { callDraft, countingClock, wordsDraft } from '../../../test-support/random-history.ts';
import { type Draft, eventOf } from '../../event/draft.ts';
import type { EventId } from '../../event/identity.ts';
import { movesHead } from '../../event/kinds.ts';
import type { Metrics, Stats } from '../../llm/accounts/metrics.ts';
import { FileEventLog } from '../../log/file-event-log.ts';
import { MemoryEventLog } from '../../log/memory-event-log.ts';
import { stateUpdate } from '../state/state.ts';
import type { Status } from '../state/status.ts';
import { parseBaseState, type StoredBaseState } from './base-state.ts';
import { foldStored, openLog, readBaseState, storedAgent, storedTags, tryReadBaseState } from './open.ts';

const folder = mkdtempSync(join(tmpdir(), 'longhand-open-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const user = wordsDraft('user', 'words');
const agent = wordsDraft('agent', 'words');
const call = callDraft('call', 'turn');
const status = (value: Status) => stateUpdate('execution_status', value);
const [running, finished] = [status('running'), status('finished')];

const accounts = (tokens: number): Stats => {
  const metrics: Metrics = {
    model_name: 'm',
    accumulated_cost: 0,
    accumulated_token_usage: {
      model: 'm',
      prompt_tokens: tokens,
      completion_tokens: 0,
      cache_read_tokens: 0,
      cache_write_tokens: 0,
      reasoning_tokens: 0,
      context_window: 0,
      per_turn_token: 0,
      response_id: '',
    },
  };
  return { usage_to_metrics: { agent: metrics } };
};

interface Case {
  readonly drafts: readonly Draft[];
  /** Index of the stored HEAD, `empty` before the first event, `unknown` if its event is missing. */
  readonly head?: number | 'empty' | 'unknown';
  readonly status?: Status;
  readonly tokens?: number;
}
/** HEAD as an index (-1: before the first event), status, tokens, and whether HEAD was moved. */
type Found = readonly [head: number, status: Status, tokens: number, isMoved: boolean];

async function foldOf({ drafts, head, tokens, status }: Case, isOurs: boolean): Promise<Found> {
  const clock = countingClock();
  const log = new MemoryEventLog();
  let leaf: EventId | null = null;
  for (const draft of drafts) {
    const event = eventOf(draft, leaf, clock);
    await log.append(event);
    if (movesHead(event)) leaf = event.id;
  }
  const stored: StoredBaseState = {
    ...parseBaseState('{"id":"i"}'),
    isOurs,
    status,
    leafId: head === 'unknown' ? 'missing' : typeof head === 'number' ? log.at(head)?.id : undefined,
    isHeadEmpty: head === 'empty',
    stats: tokens === undefined ? undefined : accounts(tokens),
  };
  const { state, isMoved } = foldStored(folder, log, () => stored);
  const { leafId, stats } = state;
  const { prompt_tokens: sum = 0 } = stats.usage_to_metrics['agent']?.accumulated_token_usage ?? {};
  return [leafId === null ? -1 : log.indexOf(leafId), state.status, sum, isMoved];
}

const told = stateUpdate('stats', accounts(5));
const CASES: readonly (readonly [name: string, of: Case, ours: Found, theirs: Found])[] = [
  [
    'an empty log',
    { drafts: [], status: 'paused', tokens: 7, head: 'empty' },
    [-1, 'idle', 0, false],
    [-1, 'idle', 0, false],
  ],
  [
    'a log that tells how its run ended',
    { drafts: [user, running, agent, told, finished], head: 2, status: 'paused', tokens: 7 },
    [2, 'finished', 5, false],
    [2, 'paused', 7, false],
  ],
  [
    'a log that tells how its run ended, and a message after it',
    { drafts: [user, running, agent, finished, user], head: 4, status: 'paused', tokens: 7 },
    [4, 'finished', 0, false],
    [4, 'paused', 7, false],
  ],
  [
    'a run that was cut off',
    { drafts: [user, running, agent], head: 2, status: 'paused', tokens: 7 },
    [2, 'running', 0, false],
    [2, 'paused', 7, false],
  ],
  [
    'a log without any status',
    { drafts: [user, agent], head: 1, status: 'paused', tokens: 7 },
    [1, 'paused', 7, false],
    [1, 'paused', 7, false],
  ],
  [
    'a log with a message of the user’s alone',
    { drafts: [user], head: 0, status: 'paused' },
    [0, 'paused', 0, false],
    [0, 'paused', 0, false],
  ],
  [
    'a call after the last status',
    { drafts: [user, running, finished, user, call], head: 4, status: 'stuck' },
    [4, 'stuck', 0, false],
    [4, 'stuck', 0, false],
  ],
  [
    'an answer after the last status',
    { drafts: [user, running, finished, user, agent], head: 4, status: 'stuck' },
    [4, 'stuck', 0, false],
    [4, 'stuck', 0, false],
  ],
  [
    'smaller accounts in the file',
    { drafts: [user, told, agent], head: 2, tokens: 3 },
    [2, 'idle', 5, false],
    [2, 'idle', 5, false],
  ],
  [
    'no HEAD in the file',
    { drafts: [user, agent], status: 'paused' },
    [1, 'paused', 0, false],
    [1, 'paused', 0, false],
  ],
  [
    'an earlier HEAD in the file',
    { drafts: [user, agent, user, agent], head: 1, status: 'paused' },
    [3, 'idle', 0, false],
    [1, 'paused', 0, true],
  ],
  [
    'HEAD before the first event',
    { drafts: [user, agent], head: 'empty', status: 'paused' },
    [1, 'idle', 0, false],
    [-1, 'paused', 0, true],
  ],
  [
    'a HEAD whose event is missing',
    { drafts: [user, agent], head: 'unknown', status: 'paused', tokens: 7 },
    [1, 'idle', 7, false],
    [1, 'idle', 7, false],
  ],
  [
    'an earlier HEAD of a run that the file calls running',
    { drafts: [user, agent, user, agent], head: 1, status: 'running' },
    [3, 'idle', 0, false],
    [3, 'idle', 0, false],
  ],
  [
    'HEAD before the run that was cut off',
    { drafts: [user, running, agent, call], head: 0, status: 'idle' },
    [3, 'running', 0, false],
    [3, 'running', 0, false],
  ],
  [
    'HEAD after the status of the run that was cut off',
    { drafts: [user, running, agent, call], head: 2, status: 'paused' },
    [3, 'running', 0, false],
    [2, 'paused', 0, true],
  ],
  [
    'a missing HEAD of a run that was cut off',
    { drafts: [user, running, agent], head: 'unknown', status: 'idle' },
    [2, 'running', 0, false],
    [2, 'running', 0, false],
  ],
  [
    'HEAD before the first event of a run that was cut off',
    { drafts: [user, running, agent], head: 'empty', status: 'idle' },
    [2, 'running', 0, false],
    [-1, 'idle', 0, true],
  ],
  [
    'an update after the answer that is no status',
    { drafts: [user, running, finished, agent, told], head: 3, status: 'stuck', tokens: 7 },
    [3, 'stuck', 7, false],
    [3, 'stuck', 7, false],
  ],
  [
    'a status as the first event',
    { drafts: [finished, user], head: 1, status: 'paused' },
    [1, 'finished', 0, false],
    [1, 'paused', 0, false],
  ],
  [
    'an earlier HEAD beside a snapshot of a running state',
    {
      drafts: [user, stateUpdate('full_state', { execution_status: 'running' }), agent],
      head: 0,
      status: 'idle',
    },
    [2, 'running', 0, false],
    [0, 'idle', 0, true],
  ],
];

for (const [name, of, ours, theirs] of CASES) {
  test(`what the file adds to the log: ${name}`, async () => {
    assert.deepEqual([await foldOf(of, true), await foldOf(of, false)], [ours, theirs]);
  });
}

test('HEAD on a branch that was left is respected even if the file says that a run goes on', async () => {
  const clock = countingClock();
  const log = new MemoryEventLog();
  const root = eventOf(user, null, clock);
  const left = eventOf(agent, root.id, clock);
  await log.append(root, left, eventOf(agent, root.id, clock));
  const json = { id: 'i', leaf_event_id: left.id, execution_status: 'running' };
  const { state, isMoved } = foldStored(folder, log, () => parseBaseState(JSON.stringify(json)));
  assert.deepEqual([state.leafId, state.status, isMoved], [left.id, 'running', true]);
});

test('a log without a folder is in memory; that of a folder is on disk, and takes the stored status', async (t) => {
  const options = { durability: 'process', onWarning: assert.fail } as const;
  const inMemory = await openLog(null, undefined, options);
  assert.ok(inMemory.log instanceof MemoryEventLog);
  await inMemory.log.append(eventOf(user, null, countingClock()));
  assert.equal(inMemory.fold(() => []).view.events.length, 1);

  const directory = mkdtempSync(join(folder, 'log-'));
  const stored = parseBaseState('{"id":"i","execution_status":"paused"}');
  const { log, fold } = await openLog(directory, stored, options);
  t.after(() => log.close());
  assert.ok(log instanceof FileEventLog);
  await log.append(eventOf(user, null, countingClock()));
  assert.equal(fold(() => []).state.status, 'paused');
});

test('a base_state.json is read, is absent, or cannot be read and is named', () => {
  const directory = mkdtempSync(join(folder, 'state-'));
  const path = join(directory, 'base_state.json');
  const warnings: string[] = [];
  const warn = (text: string) => void warnings.push(text);
  assert.equal(readBaseState(directory), undefined);
  assert.equal(tryReadBaseState(directory, warn), undefined);
  assert.deepEqual(storedTags(directory), {});
  assert.equal(warnings.length, 0);

  writeFileSync(path, '{"id":"i","tags":{"name":"mine"}}');
  assert.equal(readBaseState(directory)?.id, 'i');
  assert.equal(tryReadBaseState(directory, warn)?.id, 'i');
  assert.deepEqual(storedTags(directory), { name: 'mine' });

  writeFileSync(path, '{}');
  const message = `${path} cannot be read: id is not a string`;
  assert.throws(
    () => readBaseState(directory),
    (error: Error) => error.message === message && error.cause instanceof TypeError,
  );
  assert.equal(tryReadBaseState(directory), undefined);
  assert.equal(tryReadBaseState(directory, warn), undefined);
  const [warning = '', ...others] = warnings;
  assert.deepEqual([warning.startsWith(message), others], [true, []]);
  assert.deepEqual(storedTags(directory), {});
});

test('the stored agent is used; without one the error says which file lacks it', () => {
  const stored = parseBaseState('{"id":"i","agent":{"llm":{"model":"m"}}}');
  assert.deepEqual(storedAgent(null, stored), { llm: { model: 'm' }, tools: [] });
  assert.throws(() => storedAgent(null, undefined), /a new conversation needs an agent/);
  assert.throws(() => storedAgent('/c', parseBaseState('{"id":"i"}')), /\/c\/base_state\.json is missing/);
});

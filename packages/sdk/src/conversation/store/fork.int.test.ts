import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { callDraft, countingClock, wordsDraft } from '../../../test-support/random-history.ts';
import { eventOf } from '../../event/draft.ts';
import { ROOT } from '../../event/identity.ts';
import type { Event } from '../../event/kinds.ts';
import { FileEventLog } from '../../log/file-event-log.ts';
import { INITIAL_STATE, stateUpdate } from '../state/state.ts';
import { type BaseState, serializeBaseState } from './base-state.ts';
import { forkDirectory } from './fork.ts';
import { conversationDirectory } from './location.ts';
import { KeptResponses, responsesIn } from './responses.ts';
import { writeEventFolder } from './write-event-folder.ts';

const conversationsDir = mkdtempSync(join(tmpdir(), 'longhand-fork-'));
after(() => rmSync(conversationsDir, { recursive: true, force: true }));

const clock = countingClock();
const task = eventOf(wordsDraft('user', 'begin'), null, clock);
const left = eventOf(callDraft('a', 'left'), task.id, clock);
const call = eventOf(callDraft('b', 'taken'), task.id, clock);
const later = eventOf(callDraft('c', 'later'), call.id, clock);
const EVENTS: readonly Event[] = [task, left, call, later];

const STATE: BaseState = {
  id: '11111111-2222-3333-4444-555555555555',
  agent: { llm: { model: 'm', usageId: 'agent' }, tools: [] },
  workingDir: '/w',
  directory: '/origin',
  maxIterations: 7,
  stuckDetection: false,
  confirmation: { kind: 'AlwaysConfirm' },
  tags: { agent: 'mine', name: 'task' },
  state: { ...INITIAL_STATE, status: 'finished', leafId: later.id },
};

/** A conversation that left a branch, with the responses to all its calls. */
async function origin(baseState: string | undefined = serializeBaseState(STATE)): Promise<string> {
  const directory = mkdtempSync(join(conversationsDir, 'origin-'));
  await writeEventFolder(directory, EVENTS, baseState, (folder) => {
    const kept = new KeptResponses(folder);
    for (const id of ['left', 'taken', 'later', 'other']) kept.keep(id, { id });
    kept.close();
    writeFileSync(join(folder, 'requests.jsonl'), 'requests\n');
  });
  return directory;
}

async function eventsIn(directory: string): Promise<readonly Event[]> {
  const log = await FileEventLog.open(directory, { readOnly: true });
  const events = [...log.read()].map(([, event]) => event);
  await log.close();
  return events;
}

const jsonOf = (directory: string) => JSON.parse(readFileSync(join(directory, 'base_state.json'), 'utf8'));

test('a fork has the branch of its event, with its responses and requests, and a state of its own', async () => {
  const from = await origin();
  const id = await forkDirectory(from, { conversationsDir, at: 2 });
  const to = conversationDirectory(conversationsDir, id);
  assert.deepEqual(await eventsIn(to), [task, call]);
  assert.deepEqual(
    ['left', 'taken', 'later', 'other'].map((each) => responsesIn(to)(each)),
    [undefined, { id: 'taken' }, undefined, undefined],
  );
  assert.equal(readFileSync(join(to, 'requests.jsonl'), 'utf8'), 'requests\n');
  assert.deepEqual(jsonOf(to), {
    ...jsonOf(from),
    id,
    persistence_dir: to,
    max_iterations: 500,
    stuck_detection: true,
    execution_status: 'idle',
    leaf_event_id: call.id,
    tags: { agent: 'mine' },
  });
});

test('a fork ends at the last event by default, and begins at the first one', async () => {
  const from = await origin();
  const forked = async (at?: number) =>
    await eventsIn(
      conversationDirectory(
        conversationsDir,
        await forkDirectory(from, { conversationsDir, ...(at === undefined ? {} : { at }) }),
      ),
    );
  assert.deepEqual(await forked(), [task, call, later]);
  assert.deepEqual(await forked(3), [task, call, later]);
  assert.deepEqual(await forked(0), [task]);
});

test('a fork of a folder that the reference wrote keeps what only the reference has', async () => {
  const { tags: _, confirmation_policy: __, workspace: ___, ...json } = JSON.parse(serializeBaseState(STATE));
  const from = await origin(JSON.stringify({ ...json, theirs: 1 }));
  const to = conversationDirectory(conversationsDir, await forkDirectory(from, { conversationsDir }));
  const { theirs, tags, workspace, confirmation_policy: policy, leaf_event_id: leaf } = jsonOf(to);
  assert.deepEqual(
    [theirs, tags, workspace.working_dir, policy, leaf],
    [1, {}, process.cwd(), { kind: 'NeverConfirm' }, later.id],
  );
});

test('a folder that has neither state nor responses is forked without them', async () => {
  const from = mkdtempSync(join(conversationsDir, 'bare-'));
  await writeEventFolder(from, EVENTS, undefined);
  const to = conversationDirectory(conversationsDir, await forkDirectory(from, { conversationsDir }));
  assert.deepEqual(readdirSync(to), ['events', 'events.sha256']);
  assert.deepEqual(readdirSync(from), ['events', 'events.sha256']);
});

test('there is no fork of an event that does not exist, and a failed one leaves nothing behind', async () => {
  const from = await origin();
  const before = readdirSync(conversationsDir);
  for (const at of [-1, 4])
    await assert.rejects(forkDirectory(from, { conversationsDir, at }), {
      name: 'RangeError',
      message: `there is no event ${at}: the conversation has the events 0 to 3`,
    });
  rmSync(join(from, 'requests.jsonl'));
  mkdirSync(join(from, 'requests.jsonl'));
  await assert.rejects(forkDirectory(from, { conversationsDir }));
  assert.deepEqual(readdirSync(conversationsDir), before);
});

test('a damaged event of the origin is warned of', async () => {
  const from = await origin();
  const copy = mkdtempSync(join(conversationsDir, 'damaged-'));
  cpSync(from, copy, { recursive: true });
  const name = readdirSync(join(copy, 'events')).find((each) => each.startsWith('event-00003')) as string;
  writeFileSync(join(copy, 'events', name), '{');
  const warnings: string[] = [];
  const id = await forkDirectory(copy, { conversationsDir, onWarning: (text) => warnings.push(text) });
  assert.deepEqual(await eventsIn(conversationDirectory(conversationsDir, id)), [task, call]);
  assert.ok(warnings.length > 0);
});

test('a fork of a conversation that was moved before its first event is empty', async () => {
  const from = mkdtempSync(join(conversationsDir, 'moved-'));
  const moved = eventOf(stateUpdate('leaf_event_id', ROOT), null, clock);
  await writeEventFolder(from, [task, moved], serializeBaseState(STATE));
  const to = conversationDirectory(conversationsDir, await forkDirectory(from, { conversationsDir }));
  assert.deepEqual([await eventsIn(to), jsonOf(to).leaf_event_id], [[], undefined]);
});

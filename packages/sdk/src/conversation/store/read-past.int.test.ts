import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  callDraft,
  countingClock,
  observationDraft,
  wordsDraft,
} from '../../../test-support/random-history.ts';
import { text, textOf } from '../../event/content.ts';
import { eventOf } from '../../event/draft.ts';
import type { Event } from '../../event/kinds.ts';
import type { CondenserSpec } from '../../view/condensers/spec.ts';
import { INITIAL_STATE } from '../state/state.ts';
import { serializeBaseState } from './base-state.ts';
import { conversationDirectory } from './location.ts';
import { listConversations, readConversation } from './read.ts';
import { RequestRecord } from './request-record.ts';
import { KeptResponses } from './responses.ts';
import { writeEventFolder } from './write-event-folder.ts';

const conversationsDir = mkdtempSync(join(tmpdir(), 'longhand-read-past-'));
after(() => rmSync(conversationsDir, { recursive: true, force: true }));

const clock = countingClock();
const task = eventOf(wordsDraft('user', 'begin'), null, clock);
const call = eventOf(callDraft('a', 'turn'), task.id, clock);
const result = eventOf(observationDraft('a', call.id, 'output'), call.id, clock);
const answer = eventOf(wordsDraft('agent', 'end'), result.id, clock);
const EVENTS: readonly Event[] = [task, call, result, answer];

const ID = '11111111-2222-3333-4444-555555555555';
const toolCalling = (isNative: boolean) => ({ capabilities: { nativeToolCalling: isNative } });

interface Settings {
  readonly condenser?: CondenserSpec;
  readonly isNative?: boolean;
  readonly hasAgent?: boolean;
}

function stateText({ condenser, isNative = true, hasAgent = true }: Settings = {}): string {
  const agent = {
    llm: { model: 'openai/m', ...toolCalling(isNative) },
    tools: [],
    ...(condenser && { condenser }),
  };
  return serializeBaseState({
    id: ID,
    agent: hasAgent ? agent : undefined,
    workingDir: '/w',
    directory: '/c',
    maxIterations: 7,
    stuckDetection: false,
    confirmation: { kind: 'NeverConfirm' },
    tags: { name: 'mine' },
    state: { ...INITIAL_STATE, leafId: answer.id, status: 'finished' },
  });
}

async function stored(baseState: string | undefined, events = EVENTS): Promise<string> {
  const directory = mkdtempSync(join(conversationsDir, 'x-'));
  await writeEventFolder(directory, events, baseState);
  return directory;
}

const words = (messages: readonly { readonly content: Parameters<typeof textOf>[0] }[]) =>
  messages.map(({ content }) => textOf(content));

test('the past is read event by event, with its condenser and in the form that the tools render', async () => {
  const directory = await stored(
    stateText({ condenser: { type: 'observation_masking', attentionWindow: 1 } }),
  );
  const read = await readConversation(directory, { render: () => [text('rendered')] });
  assert.deepEqual(
    [read.workingDir, read.tags, read.state.status, read.branch()],
    ['/w', { name: 'mine' }, 'finished', EVENTS],
  );
  assert.deepEqual(words(read.messages()), ['begin', '', 'rendered', 'end']);
  assert.deepEqual(words(await read.messagesAt(0)), ['begin']);
  assert.deepEqual(words(await read.messagesAt(2)), ['begin', '', 'rendered']);
  const masked = words(await read.messagesAt(3));
  assert.deepEqual([masked.length, masked[2] === 'rendered'], [4, false]);
  assert.deepEqual(
    [0, 1, 3].map((at) => read.stateAt(at).leafId),
    [task.id, call.id, answer.id],
  );
  await read.close();
});

test('a folder without a state is read as far as its events go', async () => {
  const directory = await stored(undefined);
  const read = await readConversation(directory);
  assert.deepEqual(
    [read.workingDir, read.tags, read.state.leafId, read.accounts(), read.response('turn')],
    [undefined, {}, answer.id, [], undefined],
  );
  assert.deepEqual(words(await read.messagesAt(3)), ['begin', '', 'output', 'end']);
  await assert.rejects(read.wireMessagesAt(0), {
    message: `${directory} does not say which model was asked`,
  });
  await read.close();
});

test('a state that cannot be read is warned of once, and a kept response is found', async () => {
  const directory = await stored('{');
  const kept = new KeptResponses(directory);
  kept.keep('turn', { a: 1 });
  kept.close();
  const warnings: string[] = [];
  const read = await readConversation(directory, { onWarning: (warning) => warnings.push(warning) });
  assert.equal(read.state.leafId, answer.id);
  assert.deepEqual([read.response('turn'), warnings.length], [{ a: 1 }, 1]);
  await read.close();
});

test('a state without an agent does not say which model was asked', async () => {
  const read = await readConversation(await stored(stateText({ hasAgent: false })));
  await assert.rejects(read.wireMessagesAt(0), /does not say which model was asked/);
  await read.close();
});

test('a model that reads its tools in the prompt is shown those of the time, else those that are given', async () => {
  const tool = (name: string) => ({ name, description: `does ${name}`, parameters: { type: 'object' } });
  const system = eventOf(
    { source: 'agent', system_prompt: text('be brief'), tools: [], kind: 'SystemPromptEvent' } as never,
    null,
    clock,
  );
  const withSystem = await stored(stateText({ isNative: false }), [
    system,
    { ...task, parent_id: system.id },
  ]);
  const shown = async (folder: string, at: number) => {
    const read = await readConversation(folder, { toolSchemas: [tool('given')] });
    const whole = (await read.wireMessagesAt(at)).join('\n');
    await read.close();
    return ['given', 'early', 'late'].filter((name) => whole.includes(`does ${name}`));
  };
  assert.deepEqual(await shown(withSystem, 1), ['given']);
  const record = new RequestRecord(withSystem, { mask: (line) => line, warn: assert.fail });
  record.add(system.id, { messages: [], tools: [tool('early')] });
  record.add(task.id, { messages: [], tools: [tool('late')] });
  record.add('missing', { messages: [], tools: [tool('given')] });
  record.close();
  assert.deepEqual([await shown(withSystem, 0), await shown(withSystem, 1)], [['early'], ['late']]);
});

test('a list tells task, name, place, size, costs and time of each conversation', async () => {
  const own = mkdtempSync(join(conversationsDir, 'list-'));
  const directory = conversationDirectory(own, ID);
  const late = eventOf(wordsDraft('user', 'late'), answer.id, clock);
  const noise = Array.from({ length: 9 }, () => eventOf(wordsDraft('agent', 'noise'), null, clock));
  await writeEventFolder(
    directory,
    [...noise, { ...task, parent_id: undefined } as Event, late],
    stateText(),
  );
  utimesSync(join(directory, 'events'), 1_000_000, 1_000_000);
  const summary = {
    id: ID,
    directory,
    status: 'idle',
    title: 'begin',
    name: 'mine',
    workingDir: '/w',
    events: 11,
    costUsd: 0,
    unpricedCalls: 0,
    modifiedMs: 1_000_000_000,
  };
  assert.deepEqual(await listConversations(own), [summary]);
  const other = conversationDirectory(own, ID.replaceAll('1', '9'));
  await writeEventFolder(other, [...noise, answer, late], undefined);
  writeFileSync(join(other, 'base_state.json'), '{');
  utimesSync(join(other, 'events'), 2_000_000, 2_000_000);
  const warnings: string[] = [];
  const [first, second] = await listConversations(own, (warning) => warnings.push(warning));
  assert.deepEqual([first?.title, first?.name, second], ['', undefined, summary]);
  assert.equal(warnings.length, 1);
});

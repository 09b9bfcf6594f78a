/** Kinds of events that a program defines: stored, reloaded, in the prompt, condensed, shown, exported. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import * as z from 'zod';
import { Conversation } from '../conversation/conversation.ts';
import { readConversation } from '../conversation/store/read.ts';
import { scriptedLlm } from '../llm/playback/scripted-llm.ts';
import { htmlReport } from '../trajectory/html/report.ts';
import { toJsonl } from '../trajectory/jsonl.ts';
import { toOpenAi } from '../trajectory/openai.ts';
import { statsOf } from '../trajectory/stats.ts';
import { renderEvent } from '../view/condensers/render-event.ts';
import { openLocalWorkspace } from '../workspace/local-workspace.ts';
import { EventFormatError, parseEvent, serializeEvent } from './codec.ts';
import { text, textOf } from './content.ts';
import { defineEventKind } from './event-kind.ts';
import { isPromptEvent, type PromptEvent, showEvent } from './kinds.ts';
import { messagesOf } from './projection.ts';

const alarm = defineEventKind({
  kind: 'AlarmEvent',
  fields: () => ({ level: z.number(), data: z.unknown(), note: z.string().optional() }),
  defaults: { note: 'none' },
  toMessage: ({ level, note = '' }) => {
    if (level < 0) throw new RangeError('a level of an older version');
    return { role: 'user', content: [text(`alarm ${level} ${note}`)] };
  },
  show: ({ level }) => `alarm of level ${level}`,
});
const silent = defineEventKind({ kind: 'SilentEvent', fields: () => ({ word: z.string() }) });
const HEAD = '{"id":"a","timestamp":"2026-01-01T00:00:00","source":"environment"';

function place(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-kinds-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const open = (folder: string, id?: string) =>
  Conversation.open({
    agent: { llm: { model: 'scripted' }, tools: [] },
    model: { llm: scriptedLlm({ turns: [{ text: 'heard' }, { text: 'heard again' }] }) },
    tools: [],
    workspace: openLocalWorkspace(folder),
    place: { id, conversationsDir: folder, durability: 'process' },
  });

test('an event is appended behind the system prompt, with its fields in the order of the definition, and is there after a reload', async (t) => {
  const folder = place(t);
  const first = await open(folder);
  const recorded = await first.record(alarm.draft('environment', { note: 'n', data: { x: null }, level: 3 }));
  await first.record(silent.draft('user', { word: 'w' }));
  assert.deepEqual(alarm.match(recorded)?.data, { x: null });
  assert.equal(silent.match(recorded), undefined);
  const { id, directory } = first;
  await first.close();
  const names = readdirSync(join(directory ?? '', 'events')).sort();
  assert.match(
    readFileSync(join(directory ?? '', 'events', names[1]!), 'utf8'),
    /"source":"environment","parent_id":"[^"]+","level":3,"data":\{"x":null\},"note":"n","kind":"AlarmEvent"\}\s*$/,
  );

  const again = await open(folder, id);
  await again.send('go');
  await again.run();
  const prompt = again.view.messages();
  assert.deepEqual(
    prompt.map(({ role, content }) => (role === 'system' ? role : textOf(content))),
    ['system', 'alarm 3 n\ngo', 'heard'],
  );
  const events = [...again.log.read()].map(([, event]) => event);
  await again.close();
  assert.equal(events.filter(({ kind }) => kind === 'SystemPromptEvent').length, 1);
  assert.deepEqual(
    toOpenAi(events).map(({ role, content }) => (role === 'system' ? role : content)),
    ['system', 'alarm 3 n', 'go', 'heard'],
  );
  assert.match([...toJsonl(events)].join(''), /"kind":"SilentEvent"/);
  const report = htmlReport(events, { id: 'x', stats: statsOf(events) });
  assert.match(report, /alarm of level 3/);
  assert.match(renderEvent(events.find((event) => alarm.match(event)) as PromptEvent), /^alarm 3 n$/);
});

test('a checkpoint of a program that knows other kinds is not used, since its view would differ', async (t) => {
  const folder = place(t);
  const first = await open(folder);
  await first.send('go');
  await first.run();
  await first.record({ source: 'user', ...{ word: 'later' }, kind: 'LateEvent' } as never).then(
    () => assert.fail('a kind that is not defined'),
    (error: Error) => assert.match(error.message, /LateEvent is not a kind of event/),
  );
  const { directory } = first;
  await first.close();
  const late = defineEventKind({
    kind: 'LateEvent',
    fields: () => ({ word: z.string() }),
    toMessage: ({ word }) => ({ role: 'user', content: [text(word)] }),
  });
  const checkpoint = join(directory ?? '', 'checkpoint.json');
  assert.deepEqual(JSON.parse(readFileSync(checkpoint, 'utf8')).prompt_kinds, ['AlarmEvent']);
  const second = await open(folder, first.id);
  await second.record(late.draft('user', { word: 'late' }));
  await second.close();
  const saved = JSON.parse(readFileSync(checkpoint, 'utf8'));
  assert.deepEqual(saved.prompt_kinds, ['AlarmEvent', 'LateEvent']);
  // As a program that does not know the kind would have saved it.
  const without = { ...saved, prompt_kinds: ['AlarmEvent'], view: saved.view.slice(0, -1) };
  writeFileSync(checkpoint, JSON.stringify(without));
  const stored = await readConversation(directory ?? '');
  assert.match(JSON.stringify(stored.messages()), /late/);
  await stored.close();
});

test('only the program that defined a kind can record it, and the kinds of the engine are recorded by the engine', async (t) => {
  const conversation = await open(place(t));
  await assert.rejects(conversation.record({ source: 'user', kind: 'PauseEvent' }), TypeError);
  await conversation.close();
  assert.throws(() => defineEventKind({ kind: 'PauseEvent', fields: () => ({}) }), /is defined already/);
  assert.throws(() => defineEventKind({ kind: 'AlarmEvent', fields: () => ({}) }), /is defined already/);
  assert.throws(() => alarm.draft('user', { level: 'high', data: 0 } as never), z.ZodError);
});

test('a stored event is validated by its kind, keeps its nulls, and gets its missing defaults', () => {
  assert.throws(() => parseEvent(`${HEAD},"level":"x","data":0,"kind":"AlarmEvent"}`), EventFormatError);
  assert.equal(
    serializeEvent(parseEvent(`${HEAD},"level":1,"data":{"cache_enabled":null},"kind":"AlarmEvent"}`)),
    `${HEAD},"level":1,"data":{"cache_enabled":null},"note":"none","kind":"AlarmEvent"}`,
  );
});

test('an event whose kind cannot turn it into a message is left out of the prompt, without further effect', () => {
  const events = [-1, 2].map((level) => parseEvent(`${HEAD},"level":${level},"data":0,"kind":"AlarmEvent"}`));
  assert.ok(events.every(isPromptEvent));
  assert.deepEqual(
    messagesOf(events as PromptEvent[]).map(({ content }) => textOf(content)),
    ['alarm 2 none'],
  );
  assert.equal(showEvent(parseEvent(`${HEAD},"word":"w","kind":"SilentEvent"}`)), undefined);
});

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { randomHistory } from '../../test-support/random-history.ts';
import { EventFormatError, parseEvent, serializeEvent } from './codec.ts';
import { timestampOf } from './identity.ts';
import { type ActionEvent, isPromptEvent } from './kinds.ts';
import { messagesOf } from './projection.ts';

const golden = join(import.meta.dirname, 'fixtures/golden/events');
const files = readdirSync(golden, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.json'),
);

for (const file of files) {
  test(`golden: ${file} is written back to the same bytes, except what the reference would change`, () => {
    const source = readFileSync(join(golden, file), 'utf8').trimEnd();
    const today = source
      .replaceAll(',"enable_truncation":true', '')
      .replace(/,"kind":"ObservationEvent"}$/, ',"extended_content":[],"kind":"ObservationEvent"}');
    assert.equal(serializeEvent(parseEvent(source)), today);
  });
}

test('golden: the echo conversation is user, assistant with a call, tool, assistant', () => {
  const folder = join(golden, 'simple_echo_hello_world');
  const events = readdirSync(folder)
    .sort()
    .map((file) => parseEvent(readFileSync(join(folder, file), 'utf8')));
  const messages = messagesOf(events.filter(isPromptEvent));
  assert.deepEqual(
    messages.map(({ role, tool_calls }) => [role, tool_calls?.length ?? 0]),
    [
      ['user', 0],
      ['assistant', 1],
      ['tool', 0],
      ['assistant', 0],
    ],
  );
});

const pause = '"id":"a","timestamp":"2026-01-01T00:00:00","source":"user"';

test('an unknown kind is kept as it was', () => {
  const source = `{${pause},"mood":{"x":null},"kind":"MoodEvent"}`;
  assert.equal(serializeEvent(parseEvent(source)), source);
  assert.throws(() => parseEvent(source, { strict: true }), EventFormatError);
});

test('a key that every object inherits is like any other key', () => {
  const event = `{"id":"11111111","timestamp":"t","source":"agent","x":null,KEY:{"a":1},"kind":"PauseEvent"}`;
  for (const name of ['__proto__', 'constructor', 'toString', 'valueOf', '__defineGetter__']) {
    const source = event.replace('KEY', JSON.stringify(name));
    assert.equal(serializeEvent(parseEvent(source)), source.replace('"x":null,', ''), name);
    const message = source
      .replace('PauseEvent', 'MessageEvent')
      .replace('"x":null', '"llm_message":{"role":"user","content":[]}');
    const read = JSON.parse(serializeEvent(parseEvent(message))) as object;
    assert.deepEqual(Object.getOwnPropertyDescriptor(read, name)?.value, { a: 1 }, name);
  }
});

test('an unknown key is kept where it was, and refused when strict', () => {
  const source = `{${pause},"mood":"good","kind":"PauseEvent"}`;
  assert.equal(serializeEvent(parseEvent(source)), source);
  assert.throws(() => parseEvent(source, { strict: true }), /PauseEvent has no "mood"/);
});

test('null fields are dropped, nulls in free data stay', () => {
  assert.equal(
    serializeEvent(parseEvent(`{${pause},"parent_id":null,"kind":"PauseEvent"}`)),
    `{${pause},"kind":"PauseEvent"}`,
  );
  const free = `{${pause},"key":"x","value":null,"kind":"ConversationStateUpdateEvent"}`;
  assert.equal(serializeEvent(parseEvent(free)), free);
});

test('an argument named kind that the reference stored under another name gets its own name back', () => {
  const call = files.find(
    (file) => file.endsWith('.json') && /ActionEvent/.test(readFileSync(join(golden, file), 'utf8')),
  )!;
  const stored = (data: object) =>
    JSON.stringify({
      ...JSON.parse(readFileSync(join(golden, call), 'utf8')),
      action: { data, kind: 'MCPToolAction' },
    });
  const dataOf = (data: object) => (parseEvent(stored(data)) as ActionEvent).action?.['data'];
  assert.equal(
    JSON.stringify(dataOf({ q: 1, mcp_arg_kind: 'search', n: 2 })),
    '{"q":1,"kind":"search","n":2}',
  );
  assert.deepEqual(dataOf({ kind: 'a', mcp_arg_kind: 'b' }), { kind: 'a', mcp_arg_kind: 'b' });
});

test('what is not an event is refused with a reason', () => {
  for (const [source, reason] of [
    ['', /empty/],
    ['{"id":', /not JSON/],
    ['[]', /not a JSON object/],
    ['{"id":"a"}', /no "kind"/],
    [`{${pause},"key":5,"kind":"ConversationStateUpdateEvent"}`, /ConversationStateUpdateEvent\.key/],
    ['{"id":"a","kind":"MoodEvent"}', /"timestamp" is missing/],
  ] as const) {
    assert.throws(
      () => parseEvent(source),
      (error: unknown) => error instanceof EventFormatError && reason.test(error.message),
    );
  }
});

test('an event that is nested too deeply is refused, and does not crash the process', () => {
  for (const kind of ['ConversationStateUpdateEvent', 'MoodEvent']) {
    const nested = (levels: number) =>
      `{${pause},"key":"k","value":${'['.repeat(levels)}${']'.repeat(levels)},"kind":"${kind}"}`;
    assert.equal(serializeEvent(parseEvent(nested(500))), nested(500));
    assert.throws(() => parseEvent(nested(20_000)), /^EventFormatError: it is nested too deep$/);
  }
});

test('events are deeply frozen', () => {
  const event = parseEvent(`{${pause},"key":"x","value":{"deep":[1]},"kind":"ConversationStateUpdateEvent"}`);
  assert.throws(() => {
    (event as unknown as { value: { deep: number[] } }).value.deep.push(2);
  }, TypeError);
});

test('timestamps are local, without offset, to the microsecond, without a fraction of zero', () => {
  const noon = new Date(2026, 0, 27, 3, 56, 22).getTime();
  assert.equal(timestampOf(noon), '2026-01-27T03:56:22');
  assert.equal(timestampOf(noon + 718.97), '2026-01-27T03:56:22.718970');
});

test('property: what is written is read back as it was', () => {
  fc.assert(
    fc.property(randomHistory, (events) => {
      for (const event of events)
        assert.equal(serializeEvent(parseEvent(serializeEvent(event))), serializeEvent(event));
    }),
  );
});

test('fields that older versions wrote are dropped, with their nulls', () => {
  const old = {
    cache_enabled: true,
    vision_enabled: false,
    function_calling_enabled: true,
    force_string_serializer: false,
    send_reasoning_content: true,
  };
  const content = [{ type: 'text', text: 'words', enable_truncation: true, cache_prompt: null }];
  for (const key of Object.keys(old)) {
    const message = { role: 'user', content, [key]: old[key as keyof typeof old], name: null };
    const source = JSON.stringify({
      id: '1',
      timestamp: '',
      source: 'user',
      llm_message: message,
      activated_skills: [],
      extended_content: [],
      kind: 'MessageEvent',
    });
    assert.deepEqual((parseEvent(source) as { llm_message?: unknown }).llm_message, {
      role: 'user',
      content: [{ type: 'text', text: 'words' }],
    });
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { historyOf as eventsOf } from '../../test-support/history-notation.ts';
import {
  callDraft,
  countingClock,
  errorDraft,
  observationDraft,
  randomHistory,
  wordsDraft,
} from '../../test-support/random-history.ts';
import { type TextContent, text, textOf } from './content.ts';
import { type Draft, eventOf } from './draft.ts';
import { isPromptEvent, type PromptEvent } from './kinds.ts';
import type { Message } from './message.ts';
import { messagesOf, Projection } from './projection.ts';

function historyOf(...drafts: Draft[]): PromptEvent[] {
  const clock = countingClock();
  return drafts.map((draft) => eventOf(draft, null, clock) as PromptEvent);
}

/** `assistant:a,b` is a turn with the calls a and b, `tool:a` a result. */
function shape(messages: readonly Message[]): string[] {
  return messages.map((message) =>
    message.tool_calls !== undefined
      ? `assistant:${message.tool_calls.map((call) => call.id).join(',')}`
      : message.role === 'tool'
        ? `tool:${message.tool_call_id}`
        : message.role,
  );
}

test('calls of one response are one assistant turn, followed by the results', () => {
  const events = historyOf(
    wordsDraft('user', 'go'),
    callDraft('a', 'r1'),
    callDraft('b', 'r1'),
    observationDraft('a', 'x'),
    observationDraft('b', 'x'),
  );
  assert.deepEqual(shape(messagesOf(events)), ['user', 'assistant:a,b', 'tool:a', 'tool:b']);
});

test('calls of one response stay one turn when results are between them', () => {
  const events = historyOf(
    callDraft('a', 'r1'),
    errorDraft('a'),
    callDraft('b', 'r1'),
    observationDraft('b', 'x'),
  );
  assert.deepEqual(shape(messagesOf(events)), ['assistant:a,b', 'tool:a', 'tool:b']);
});

test('a system prompt that was recorded late comes first, and a call that was open keeps its result', () => {
  const prompt: Draft = {
    source: 'agent',
    system_prompt: text('late'),
    tools: [],
    kind: 'SystemPromptEvent',
  };
  const events = historyOf(
    wordsDraft('user', 'go'),
    callDraft('a', 'r1'),
    prompt,
    observationDraft('a', 'x', 'found'),
  );
  assert.deepEqual(shape(messagesOf(events)), ['system', 'user', 'assistant:a', 'tool:a']);
  assert.equal(textOf(messagesOf(events).at(-1)?.content as TextContent[]), 'found');
});

test('results that come in another order are sent in the order of the calls', () => {
  const events = historyOf(
    callDraft('a', 'r1'),
    callDraft('b', 'r1'),
    observationDraft('b', 'x'),
    observationDraft('a', 'x'),
  );
  assert.deepEqual(shape(messagesOf(events)), ['assistant:a,b', 'tool:a', 'tool:b']);
});

test('what the user says while a call is open follows its result', () => {
  const events = historyOf(callDraft('a', 'r1'), wordsDraft('user', 'wait'), observationDraft('a', 'x'));
  assert.deepEqual(shape(messagesOf(events)), ['assistant:a', 'tool:a', 'user']);
});

test('a call without a result gets one that says so', () => {
  const messages = messagesOf(
    historyOf(callDraft('a', 'r1'), callDraft('b', 'r2'), observationDraft('b', 'x')),
  );
  assert.deepEqual(shape(messages), ['assistant:a', 'tool:a', 'assistant:b', 'tool:b']);
  assert.match(textOf(messages[1]!.content), /No result/);
});

test('consecutive user turns are merged', () => {
  const messages = messagesOf(historyOf(wordsDraft('user', 'one'), wordsDraft('environment', 'two')));
  assert.deepEqual(messages, [{ role: 'user', content: [text('one'), text('two')], thinking_blocks: [] }]);
});

test('property: every call of every turn has exactly one result, directly behind it, whatever the history', () => {
  fc.assert(
    fc.property(randomHistory, (events) => {
      const messages = messagesOf(events.filter(isPromptEvent));
      for (let i = 0; i < messages.length; ) {
        const calls = messages[i]!.tool_calls ?? [];
        const results = messages.slice(i + 1, i + 1 + calls.length);
        assert.deepEqual(
          results.map((message) => message.tool_call_id),
          calls.map((call) => call.id),
        );
        i += 1 + calls.length;
        assert.notEqual(messages[i]?.role, 'tool');
      }
    }),
  );
});

test('property: messages that were sent are sent again as the same objects', () => {
  fc.assert(
    fc.property(randomHistory, (events) => {
      const projection = new Projection();
      const open = new Set<string>();
      let sent: readonly Message[] = [];
      for (const event of legal(events)) {
        projection.append(event);
        if (event.kind === 'ActionEvent') open.add(event.tool_call_id);
        if ('tool_call_id' in event && event.kind !== 'ActionEvent') open.delete(event.tool_call_id);
        if (open.size > 0 || event.kind === 'MessageEvent') continue; // no request is made here
        const messages = projection.messages();
        assert.ok(sent.every((message, i) => message === messages[i]));
        sent = messages;
      }
    }),
  );
});

/** As our own loop writes it: a response is asked for when every call has its result. */
function legal(events: Iterable<{ kind: string }>): PromptEvent[] {
  const drafts: Draft[] = [];
  let turns = 0;
  for (const event of events) {
    if (event.kind === 'MessageEvent') drafts.push(wordsDraft('user', 'more'));
    if (event.kind !== 'ActionEvent') continue;
    turns += 1;
    drafts.push(callDraft(`a${turns}`, `r${turns}`), callDraft(`b${turns}`, `r${turns}`));
    drafts.push(errorDraft(`b${turns}`), observationDraft(`a${turns}`, 'x'));
  }
  return historyOf(...drafts);
}

test('extended content follows the message', () => {
  const [event] = eventsOf('u') as [PromptEvent & { kind: 'MessageEvent' }];
  const [message] = messagesOf([{ ...event, extended_content: [text('a skill')] }]);
  assert.deepEqual(
    (message!.content as TextContent[]).map((block) => block.text),
    ['words', 'a skill'],
  );
});

test('only messages of the user wait for the results of open calls', () => {
  const roles = (line: string) =>
    messagesOf(eventsOf(line) as PromptEvent[]).map(({ role, tool_call_id: id }) => id ?? role);
  assert.deepEqual(roles('u a1 u r1'), ['user', 'assistant', 'call-1', 'user']);
  assert.deepEqual(roles('u a1 m u'), ['user', 'assistant', 'call-1', 'assistant', 'user']);
});

test('control characters of a result do not reach the model; tabs, line ends and colours do', () => {
  const [call, result] = eventsOf('a1 r1') as [PromptEvent, PromptEvent & { kind: 'ObservationEvent' }];
  const content = [text('a\tb\r\n\x1b[31mc\x1b[0m\x00\x00\x07d\x7f\x9be')];
  const shown = messagesOf([call, { ...result, observation: { ...result.observation, content } }]).at(-1);
  assert.equal(textOf(shown?.content ?? []), 'a\tb\r\n\x1b[31mc\x1b[0m\ufffdd\ufffde');
});

test('a result of more than 50,000 characters is cut in the middle, with a notice', () => {
  const [call, result] = eventsOf('a1 r1') as [PromptEvent, PromptEvent & { kind: 'ObservationEvent' }];
  const shown = (length: number) => {
    const observation = { ...result.observation, content: [text('x'.repeat(length))] };
    const content = messagesOf([call, { ...result, observation }]).at(-1)?.content as TextContent[];
    return content[0]?.text ?? '';
  };
  assert.equal(shown(50_000), 'x'.repeat(50_000));
  assert.equal(shown(50_001).length, 50_000);
  assert.match(shown(50_001), /^x+\n<response clipped>\nx+$/);
});

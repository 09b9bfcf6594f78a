import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  callDraft,
  countingClock,
  errorDraft,
  observationDraft,
  randomHistory,
  wordsDraft,
} from '../../test-support/random-history.ts';
import { branchOf, foldLog } from '../conversation/state/history.ts';
import { type Draft, eventOf } from '../event/draft.ts';
import type { Event } from '../event/kinds.ts';
import { MemoryEventLog } from '../log/memory-event-log.ts';
import { parseTrajectory } from './formats.ts';
import { fromOpenAi } from './from-openai.ts';
import { fromJsonl, toJsonl } from './jsonl.ts';
import { toOpenAi } from './openai.ts';
import { statsOf } from './stats.ts';

function events(...drafts: readonly Parameters<typeof eventOf>[0][]): Event[] {
  const clock = countingClock();
  return drafts.map((draft) => eventOf(draft, null, clock));
}

async function activeBranch(all: readonly Event[]): Promise<Event[]> {
  const log = new MemoryEventLog();
  if (all.length > 0) await log.append(...all);
  return branchOf(log, foldLog(log).state.leafId);
}

test('EventToLogsConverter: the role of a message is its source, of a call assistant with tool_calls, of a result tool', () => {
  const converted = toOpenAi(
    events(
      wordsDraft('user', 'make a file'),
      wordsDraft('agent', 'all right'),
      {
        ...callDraft('call-1', 'response-1', 'touch x'),
        thought: [{ cache_prompt: false, type: 'text', text: 'I make it.' }],
      } as never,
      observationDraft('call-1', 'x', 'made'),
    ),
  );
  assert.deepEqual(converted, [
    { role: 'user', content: 'make a file' },
    { role: 'agent', content: 'all right' },
    {
      role: 'assistant',
      content: 'I make it.',
      tool_calls: [
        {
          id: 'call-1',
          type: 'function',
          function: { name: 'terminal', arguments: '{"command":"touch x"}' },
        },
      ],
    },
    { role: 'tool', content: 'made', tool_call_id: 'call-1', name: 'terminal' },
  ]);
});

test('OpenAI chat messages: every call is followed by exactly one result, for any history', async () => {
  await fc.assert(
    fc.asyncProperty(randomHistory, async (all) => {
      const messages = toOpenAi(await activeBranch(all));
      for (const [i, { tool_calls: calls = [] }] of messages.entries()) {
        const results = messages.slice(i + 1, i + 1 + calls.length);
        assert.deepEqual(
          results.map(({ tool_call_id: id }) => id),
          calls.map(({ id }) => id),
        );
      }
      const asked = messages.flatMap(({ tool_calls: calls = [] }) => calls).length;
      assert.equal(messages.filter(({ role }) => role === 'tool').length, asked);
    }),
  );
});

test('OpenAI chat messages: export and import give the same messages', async () => {
  await fc.assert(
    fc.asyncProperty(randomHistory, async (all) => {
      const messages = toOpenAi(await activeBranch(all));
      // If an id occurs twice in a turn, it is unknown which call a result answers.
      const repeats = messages.some(
        ({ tool_calls: calls = [] }) => new Set(calls.map(({ id }) => id)).size < calls.length,
      );
      fc.pre(messages.length > 0 && !repeats);
      assert.deepEqual(toOpenAi(fromOpenAi(JSON.stringify(messages)).events), messages);
    }),
  );
});

test('malformed OpenAI chat messages are refused with the number and the line of the message', () => {
  const list = (...messages: unknown[]) =>
    `[\n${messages.map((each) => JSON.stringify(each)).join(',\n')}\n]`;
  const user = { role: 'user', content: 'x' };
  assert.throws(() => fromOpenAi(list(user, { role: 'robot' })), {
    message: 'line 3: message 1: the role must be system, user, assistant (or agent) or tool, not "robot"',
  });
  assert.throws(() => fromOpenAi(list(user, { role: 'tool', tool_call_id: 'c', content: '' })), {
    message:
      'line 3: message 1: the tool_call_id "c" does not belong to an earlier call that waits for a result',
  });
  const missing = list(user, { content: 'x' });
  assert.throws(() => fromOpenAi(missing), {
    message:
      'line 3: message 1: the role must be system, user, assistant (or agent) or tool, but it is missing',
  });
  assert.throws(() => fromOpenAi('{"messages": 1}'), { message: 'line 1: a list of messages is expected' });
});

test('JSONL: export and import give the same events, and an invalid line is reported with its number', async () => {
  await fc.assert(
    fc.property(randomHistory, (all) => {
      fc.pre(all.length > 0);
      assert.deepEqual(fromJsonl([...toJsonl(all)].join('')).events, all);
    }),
    { numRuns: 50 },
  );
  const [line = ''] = toJsonl(events(wordsDraft('user', 'x')));
  assert.throws(
    () => fromJsonl(`${line}${line}`),
    /^TrajectoryError: line 2: the event .* is already in line 1$/,
  );
  assert.throws(
    () => fromJsonl(`${line}{"kind": "MessageEvent"}\n`),
    /^TrajectoryError: line 2: expected an event as a JSON object, but MessageEvent.id is missing$/,
  );
});

test('a file with 20,000 levels of nesting is refused in every format', () => {
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const call = { id: 'c', type: 'function', function: { name: 'x', arguments: `{"a":${deep}}` } };
  for (const source of [
    JSON.stringify([{ role: 'assistant', content: null, tool_calls: [call] }]),
    `[{"action": "call_tool_mcp", "args": {"name": "x", "arguments": {"a": ${deep}}}}]`,
    `{"id":"11111111","timestamp":"t","source":"user","x":${deep},"kind":"PauseEvent"}`,
  ])
    assert.throws(() => parseTrajectory(source), /^TrajectoryError: .*nested too deep$/);
});

test('the format of a file is detected from its content; an unknown one is refused', () => {
  const all = events(wordsDraft('user', 'x'));
  const words = (source: string) => toOpenAi(parseTrajectory(source).events);
  const wanted = [{ role: 'user', content: 'x' }];
  assert.deepEqual(words([...toJsonl(all)].join('')), wanted);
  assert.deepEqual(words(JSON.stringify(wanted)), wanted);
  assert.deepEqual(words(JSON.stringify({ model: 'm', messages: wanted }, null, 2)), wanted);
  assert.deepEqual(words('[{"action": "message", "args": {"content": "x"}}]'), wanted);
  assert.throws(() => parseTrajectory('{"a": 1}'), /^TrajectoryError: unknown format/);
  assert.throws(() => parseTrajectory('not json'), /^TrajectoryError: line 1: not valid JSON/);
});

test('tools are counted whatever their names are', () => {
  const named = (name: string) => ({ ...callDraft(name, `r-${name}`), tool_name: name }) as Draft;
  const { tools } = statsOf(events(named('constructor'), named('__proto__'), named('constructor')));
  assert.deepEqual(Object.entries(tools), [
    ['constructor', 2],
    ['__proto__', 1],
  ]);
});

test('EventStatsCollector: interaction_turns, tool_calls, errors and condensations are counted', () => {
  const { interaction_turns, tool_calls, errors, condensations } = statsOf(
    events(
      wordsDraft('user', 'one'),
      callDraft('a', 'r'),
      callDraft('b', 'r'),
      errorDraft('a'),
      observationDraft('b', 'x'),
      { source: 'environment', forgotten_event_ids: [], llm_response_id: 'c', kind: 'Condensation' },
      wordsDraft('user', 'two'),
      wordsDraft('environment', 'not a turn'),
    ),
  );
  assert.deepEqual(
    { interaction_turns, tool_calls, errors, condensations },
    { interaction_turns: 2, tool_calls: 2, errors: 1, condensations: 1 },
  );
});

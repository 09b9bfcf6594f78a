import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { historyOf, lineOf } from '../../test-support/history-notation.ts';
import { randomHistory } from '../../test-support/random-history.ts';
import type { Event, PromptEvent } from '../event/kinds.ts';
import { isPromptEvent } from '../event/kinds.ts';
import { messagesOf } from '../event/projection.ts';
import { answers, cutPoints, enforceRules } from './rules.ts';
import { View } from './view.ts';

const promptEvents = (line: string) => historyOf(line).filter(isPromptEvent);

/** A bar stands at every place where the history may be cut, and nowhere else. */
const CUTS: readonly (readonly [about: string, line: string])[] = [
  ['nothing', '|'],
  ['messages', '| S | u | m | s | u |'],
  ['a call and its result', '| u | a1 r1 | a2 r2 | u |'],
  ['a call that was rejected', '| a1 x1 | u |'],
  ['a call that failed', '| a1 e1 | u |'],
  ['a call that is not answered yet', '| u | a1 |'],
  ['a call that was never answered', '| a1 | u | a2 r2 |'],
  ['calls of one turn', '| a1.9 a2.9 r1 r2 | u |'],
  ['calls of one turn, answered in another order', '| a1.9 a2.9 r2 r1 | u |'],
  ['calls of one turn, one of them not answered', '| a1.9 a2.9 r1 | u |'],
  ['calls of one turn, none of them answered', '| a1.9 a2.9 a3.9 | u |'],
  ['calls of one turn, with other events between them', '| a1.9 u r1 a2.9 | r9 | u |'],
  ['calls of two turns, answered late', '| a1 a2 r1 r2 | u |'],
  ['words between a call and its result', '| a1 u r1 | u |'],
  ['a result without a call', '| r1 | u | e1 | x1 |'],
  ['a result that comes twice', '| a1 r1 | r1 | e1 |'],
  ['a result before its call', '| r1 | a1 | u |'],
  ['an error names the last open call of its id', "| a1 | a1' e1 | u |"],
  ['an error after the last call of its id was answered names the one before', "| a1 a1' r1' e1 | u |"],
  ['a result names one of two calls of the same id', "| a1 a1' r1 | u |"],
  ['an error of another id', '| a1 | e2 |'],
  ['a signed thought and what follows from it', '| u | t1 r1 a2 r2 | u | a3 r3 |'],
  ['two signed thoughts', '| t1 r1 | t2 r2 a3 r3 | m |'],
  ['a signed thought at the end', '| u | t1 r1 a2 r2 |'],
  ['a signed thought behind which only words come', '| t1 | u | a2 r2 |'],
  ['calls of one turn, the second with a signed thought', '| a1.9 t2.9 r1 r2 a3 r3 | u |'],
];

for (const [about, line] of CUTS)
  test(`cuts: ${about}`, () => {
    const words = line.split(' ');
    const expected: number[] = [];
    let index = 0;
    for (const word of words) {
      if (word === '|') expected.push(index);
      else index += 1;
    }
    const events = promptEvents(line.replaceAll('|', ''));
    assert.equal(events.length, index);
    assert.deepEqual(cutPoints(events), expected);
  });

/** A history, the events that are forgotten, and the line that is left of the others. */
const FORGOTTEN: readonly (readonly [about: string, line: string, forgotten: string, left: string])[] = [
  ['nothing', 'S u a1 r1', '', 'S u a1 r1'],
  ['a message', 'S u m u', 'm', 'S u u#2'],
  ['a call takes its result along', 'u a1 r1 a2 r2', 'a1', 'u a2 r2'],
  ['a result takes its call along', 'u a1 r1 a2 r2', 'r1', 'u a2 r2'],
  ['an error takes its call along', 'u a1 e1 a2 r2', 'e1', 'u a2 r2'],
  ['a rejection takes its call along', 'u a1 x1', 'x1', 'u'],
  ['a call takes its rejection along', 'u a1 x1', 'a1', 'u'],
  ['a call that was never answered stays', 'u a1 u a2 r2', 'u', 'a1 u#2 a2 r2'],
  ['a call takes the calls of its turn along, and their results', 'u a1.9 a2.9 r1 r2 m', 'a1', 'u m'],
  ['a result takes the whole turn along', 'u a1.9 a2.9 r1 r2 m', 'r2', 'u m'],
  ['a turn that is not answered goes as a whole', 'u a1.9 a2.9 a3.9', 'a2', 'u'],
  ['turns that share nothing stay', 'a1.8 a2.8 a3.9 r1 r2 r3', 'r3', 'a1 a2 r1 r2'],
  ['a second result goes, its call stays', 'a1 r1 e1 u', '', 'a1 r1 u'],
  ['a second result of the same kind goes', 'a1 r1 r1 u', '', 'a1 r1 u'],
  ['a result without a call goes', 'u r1 e1 m', '', 'u m'],
  ['of two calls with one id, the one whose result is gone goes', "a1 a1' r1' e1", "r1'", 'a1 e1'],
  ['of two calls with one id, the one that is gone takes its own result', "a1 a1' e1 r1", "a1'", 'a1 r1'],
  ['an error does not answer another call of the same id instead', "a1 a1' e1 e1 u", "a1'", 'a1 e1#2 u'],
  ['a part of a signed loop takes all of it along', 'u t1 r1 a2 r2 m', 'r2', 'u m'],
  ['the signed thought takes its loop along', 'u t1 r1 a2 r2 m', 'a1', 'u m'],
  ['one signed loop goes, the next one stays', 'u t1 r1 t2 r2 m', 'r1', 'u a2 r2 m'],
  ['what comes behind a signed loop stays', 't1 r1 u a2 r2', 'a1', 'u a2 r2'],
  ['what comes before a signed loop stays', 'a1 r1 t2 r2 u', 'a2', 'a1 r1 u'],
  ['a turn reaches from one signed loop into the next', 'u t1.9 r1 t2.9 r2 m', 'r1', 'u m'],
  ['everything', 'S u a1 r1', 'S u a1 r1', ''],
];

for (const [about, line, forgotten, left] of FORGOTTEN)
  test(`forgetting: ${about}`, () => {
    const events = promptEvents(line);
    const gone = forgotten.split(' ');
    assert.equal(
      lineOf(
        enforceRules(
          events.filter(({ id }) => !gone.includes(id)),
          events,
        ),
      ),
      left,
    );
  });

/**
 * The rules stated again, naively: some events belong together, namely the calls of a turn, a call and its result, and a
 * signed thought with the calls and results that follow it. No group may be torn, neither by a cut nor by forgetting.
 */
function groupsOf(events: readonly PromptEvent[]): number[][] {
  const groups: number[][] = pairsOf(events).map(([call, result]) => [call, result]);
  for (const [i, event] of events.entries()) {
    if (event.kind !== 'ActionEvent') continue;
    groups.push([...events.keys()].filter((j) => isOfTurn(events[j]!, event.llm_response_id)));
    if (!isSigned(event)) continue;
    let end = i + 1;
    while (end < events.length && isCallOrResult(events[end]!) && !isSigned(events[end]!)) end += 1;
    groups.push([...events.keys()].slice(i, end));
  }
  return groups;
}

/** Each result with the last open call before it that it names: by the action, or by the call's id if it names no action. */
function pairsOf(events: readonly PromptEvent[]): (readonly [call: number, result: number])[] {
  const pairs: (readonly [number, number])[] = [];
  for (const [i, event] of events.entries()) {
    if (event.kind === 'ActionEvent' || !('tool_call_id' in event)) continue;
    const call = events.findLastIndex(
      (other, j) =>
        j < i &&
        other.kind === 'ActionEvent' &&
        ('action_id' in event ? other.id === event.action_id : other.tool_call_id === event.tool_call_id) &&
        !pairs.some(([answered]) => answered === j),
    );
    if (call !== -1) pairs.push([call, i]);
  }
  return pairs;
}

function isOfTurn(event: PromptEvent, turn: string): boolean {
  return event.kind === 'ActionEvent' && event.llm_response_id === turn;
}

function isCallOrResult(event: PromptEvent): boolean {
  return 'tool_call_id' in event;
}

function isSigned(event: PromptEvent): boolean {
  return event.kind === 'ActionEvent' && (event.thinking_blocks ?? []).length > 0;
}

function naiveCuts(events: readonly PromptEvent[]): number[] {
  const groups = groupsOf(events);
  return Array.from({ length: events.length + 1 }, (_, cut) => cut).filter((cut) =>
    groups.every((group) => group.every((i) => i < cut) || group.every((i) => i >= cut)),
  );
}

/** The kept events without those that are tied, directly or through others, to one that is gone or to a result of no call. */
function naivelyLeft(events: readonly PromptEvent[], isKept: (i: number) => boolean): PromptEvent[] {
  const answering = new Set(pairsOf(events).map(([, result]) => result));
  const isStray = (i: number) =>
    isCallOrResult(events[i]!) && events[i]!.kind !== 'ActionEvent' && !answering.has(i);
  const gone = new Set([...events.keys()].filter((i) => !isKept(i) || isStray(i)));
  for (let before = -1; before !== gone.size; ) {
    before = gone.size;
    for (const group of groupsOf(events))
      if (group.some((i) => gone.has(i))) for (const i of group) gone.add(i);
  }
  return events.filter((_, i) => !gone.has(i));
}

/** A history as a view has it: folded, with its condensations applied. */
function viewOf(events: readonly Event[]): View {
  const view = new View();
  for (const event of events) view.append(event);
  return view;
}

/** What strict providers demand of a prompt. */
function assertPaired(events: readonly PromptEvent[]): void {
  const messages = messagesOf(events);
  for (const [i, message] of messages.entries()) {
    const calls = message.tool_calls ?? [];
    const results = messages.slice(i + 1, i + 1 + calls.length);
    assert.deepEqual(
      results.map(({ role, tool_call_id: id }) => [role, id]),
      calls.map(({ id }) => ['tool', id]),
    );
    if (message.role === 'tool') assert.ok(i > 0 && ['tool', 'assistant'].includes(messages[i - 1]!.role));
  }
}

const numRuns = Number(process.env['HISTORIES'] ?? 2_000);

test('property: a view may be cut where no group of events is torn, and everywhere there', () => {
  fc.assert(
    fc.property(randomHistory, (events) => {
      const view = viewOf(events).events;
      assert.deepEqual(cutPoints(view), naiveCuts(view));
      const unfolded = events.filter(isPromptEvent);
      assert.deepEqual(cutPoints(unfolded), naiveCuts(unfolded));
    }),
    { numRuns },
  );
});

test('property: whatever is forgotten between two cuts, no rule is broken', () => {
  fc.assert(
    fc.property(randomHistory, fc.nat(), fc.nat(), (events, a, b) => {
      const { events: view } = viewOf(events);
      const cuts = naiveCuts(view);
      const [from = 0, to = 0] = [cuts[a % cuts.length]!, cuts[b % cuts.length]!].toSorted((x, y) => x - y);
      const kept = [...view.slice(0, from), ...view.slice(to)];
      assert.deepEqual(enforceRules(kept, view), kept);
      assertPaired(kept);
    }),
    { numRuns },
  );
});

test('property: whatever is forgotten, exactly what is tied to it goes along', () => {
  fc.assert(
    fc.property(randomHistory, fc.infiniteStream(fc.integer({ min: 0, max: 9 })), (events, choices) => {
      const { events: view } = viewOf(events);
      const kept = new Set(view.filter(() => (choices.next().value as number) > 1));
      const left = enforceRules([...kept], view);
      assert.deepEqual(lineOf(left), lineOf(naivelyLeft(view, (i) => kept.has(view[i]!))));
      assertPaired(left);
    }),
    { numRuns },
  );
});

test('property: the rules hold of every view of every history', () => {
  fc.assert(
    fc.property(randomHistory, (events) => {
      const { events: view } = viewOf(events);
      assert.equal(lineOf(naivelyLeft(view, () => true)), lineOf(view));
      assertPaired(view);
    }),
    { numRuns },
  );
});

test('each result is paired with the call that it answers', () => {
  const pairs = (line: string) => [...answers(promptEvents(line))];
  assert.deepEqual(pairs('u a1 a2 r2 r1'), [
    [3, 2],
    [4, 1],
  ]);
  assert.deepEqual(pairs("a1 a1' e1 e1 e1"), [
    [2, 1],
    [3, 0],
  ]);
  assert.deepEqual(pairs('r1 a1 e2'), []);
});

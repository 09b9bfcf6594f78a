import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { historyOf, lineOf } from '../../test-support/history-notation.ts';
import { countingClock } from '../../test-support/random-history.ts';
import { eventOf } from '../event/draft.ts';
import type { Condensation, Event } from '../event/kinds.ts';
import { messagesOf } from '../event/projection.ts';
import { View } from './view.ts';

function viewOf(...events: readonly Event[]): View {
  const view = new View();
  for (const event of events) view.append(event);
  return view;
}

function condensation(forgotten: string, more: Partial<Condensation> = {}): Condensation {
  const draft = {
    source: 'environment',
    forgotten_event_ids: forgotten.split(' '),
    llm_response_id: 'condenser',
    kind: 'Condensation',
  } as const;
  return { ...eventOf(draft, null, countingClock()), id: 'k', ...more } as Condensation;
}

const request = eventOf({ source: 'user', kind: 'CondensationRequest' }, null, countingClock());

/** The line of a view after one condensation. */
const after = (line: string, forgotten: string, more?: Partial<Condensation>) =>
  lineOf(viewOf(...historyOf(line), condensation(forgotten, more)).events);

test('a view holds what a model can be shown, in order', () => {
  assert.equal(lineOf(viewOf(...historyOf('S u c a1 r1 c m')).events), 'S u a1 r1 m');
});

test('a result without an open call is not in a view', () => {
  assert.equal(lineOf(viewOf(...historyOf('u r1 a1 r1 e1 x1 m')).events), 'u a1 r1#2 m');
});

test('the prompt is what the events say', () => {
  const events = historyOf('S u a1.9 a2.9 r2 r1 m u');
  assert.deepEqual(viewOf(...events).messages(), messagesOf(viewOf(...events).events));
});

test('messages that were there before are the same objects', () => {
  const view = viewOf(...historyOf('S u a1 r1'));
  const before = [...view.messages()];
  view.append(historyOf('m')[0]!);
  const now = view.messages();
  assert.equal(now.length, before.length + 1);
  for (const [i, message] of before.entries()) assert.equal(now[i], message);
});

test('calls are open until they are answered, in the order in which they were made', () => {
  const open = (line: string) => lineOf(viewOf(...historyOf(line)).openActions());
  assert.equal(open('a1 a2 a3'), 'a1 a2 a3');
  assert.equal(open('a1 a2 a3 r2 u'), 'a1 a3');
  assert.equal(open('a1 a2 e1 x2'), '');
  assert.equal(open("a1 a1' e1"), 'a1');
});

test('a condensation forgets the events that it names, and what cannot stand without them', () => {
  assert.equal(after('S u a1 r1 m a2 r2', 'm a1'), 'S u a2 r2');
});

test('the system prompt and the first message of the user are never forgotten', () => {
  assert.equal(after('S u m u', 'S u m'), 'S u u#2');
  assert.equal(after('S m u m u', 'm u u#2'), 'S u m#2');
  assert.equal(after('S u', 'S u', { summary: 'what was', summary_offset: 1 }), 'S u k-summary');
});

test('a summary of a writer that forgets the task comes after the task, at its offset among what that writer kept', () => {
  const summary = (offset: number) => ({ summary: 'what was', summary_offset: offset });
  assert.equal(after('S u m u', 'u m', summary(1)), 'S u k-summary u#2');
  assert.equal(after('S u m u m', 'u m', summary(2)), 'S u u#2 k-summary m#2');
});

test('property: whatever is forgotten, the task is in the first message that is not the system prompt', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('u', 'm', 'a r', 'a'), { maxLength: 12 }),
      fc.infiniteStream(fc.boolean()),
      fc.nat(14),
      (words, forget, offset) => {
        const line = ['S', 'u', ...words.map((word, i) => word.replace(/[ar]/g, `$&${i}`))].join(' ');
        const events = historyOf(line);
        const gone = events.filter(() => forget.next().value).map(({ id }) => id);
        const view = viewOf(
          ...events,
          condensation(gone.join(' '), { summary: 'what was', summary_offset: offset }),
        );
        assert.deepEqual(
          view
            .messages()
            .slice(0, 2)
            .map(({ role }) => role),
          ['system', 'user'],
        );
        assert.equal(view.events[1]?.id, 'u');
      },
    ),
  );
});

test('a summary stands at its offset among the events that are left, at the end if there are fewer', () => {
  const summary = (offset: number) => ({ summary: 'what was', summary_offset: offset });
  assert.equal(after('S u m u', 'm', summary(0)), 'S u k-summary u#2');
  assert.equal(after('S u m u', 'm', summary(2)), 'S u k-summary u#2');
  assert.equal(after('S u m u', 'm', summary(9)), 'S u u#2 k-summary');
});

test('a summary without an offset, or an offset without a summary, is not shown', () => {
  assert.equal(after('S u m', 'm', { summary: 'what was' }), 'S u');
  assert.equal(after('S u m', 'm', { summary_offset: 1 }), 'S u');
});

test('a summary is an event of the environment with the words and the time of its condensation', () => {
  const event = condensation('m', { summary: 'what was', summary_offset: 2 });
  const view = viewOf(...historyOf('S u m'), event);
  assert.deepEqual(view.events[2], {
    id: 'k-summary',
    timestamp: event.timestamp,
    source: 'environment',
    summary: 'what was',
    kind: 'CondensationSummaryEvent',
  });
  assert.deepEqual(view.messages(), messagesOf(view.events));
});

test('a later condensation can forget a summary', () => {
  const view = viewOf(
    ...historyOf('S u m'),
    condensation('m', { summary: 'what was', summary_offset: 2 }),
    condensation('k-summary', { id: 'l' }),
  );
  assert.equal(lineOf(view.events), 'S u');
});

test('a condensation that names nothing changes nothing', () => {
  const { forgotten_event_ids: _, ...event } = condensation('x');
  assert.equal(lineOf(viewOf(...historyOf('S u'), event).events), 'S u');
});

test('a forgotten call is no longer open; the others are', () => {
  const view = viewOf(...historyOf('u a1 a2'), condensation('a1'));
  assert.equal(lineOf(view.openActions()), 'a2');
});

test('a requested condensation is pending until one comes', () => {
  const view = viewOf(...historyOf('u m'));
  assert.equal(view.condensationRequested, false);
  view.append(request);
  view.append(historyOf('u')[0]!);
  assert.equal(view.condensationRequested, true);
  view.append(condensation('m'));
  assert.equal(view.condensationRequested, false);
});

test('a view can be restored from the events, the open calls and the pending request of another', () => {
  const first = viewOf(...historyOf('S u a1 a2 r1'), request);
  const restored = viewOf(...historyOf('m a9'));
  restored.restore(first.events, first.openActions(), first.condensationRequested);
  for (const view of [first, restored]) for (const event of historyOf('r2 m')) view.append(event);
  assert.deepEqual(restored.events, first.events);
  assert.deepEqual(restored.openActions(), []);
  assert.equal(restored.condensationRequested, true);
  assert.deepEqual(restored.messages(), first.messages());
});

test('observations are rendered by the given function', () => {
  const render = () => [{ type: 'text' as const, text: 'shown' }];
  const view = new View(render);
  for (const event of historyOf('u a1 r1')) view.append(event);
  assert.equal(view.render, render);
  assert.deepEqual(view.messages().at(-1)?.content, render());
  const restored = new View(render);
  restored.restore(view.events, [], false);
  assert.deepEqual(restored.messages(), view.messages());
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  callDraft,
  countingClock,
  observationDraft,
  randomHistory,
} from '../../test-support/random-history.ts';
import { type Draft, eventOf } from '../event/draft.ts';
import type { Event, PromptEvent } from '../event/kinds.ts';
import { isPromptEvent, isResult } from '../event/kinds.ts';
import { messagesOf } from '../event/projection.ts';
import { cutPoints, enforceRules, HISTORY_RULES } from './rules.ts';
import { View } from './view.ts';

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

const RUNS = Number(process.env['HISTORIES'] ?? 2_000);

test('whatever is forgotten between two cut points, no rule is broken', () => {
  fc.assert(
    fc.property(randomHistory, fc.nat(), fc.nat(), (events, a, b) => {
      const { events: view } = viewOf(events);
      const cuts = cutPoints(view);
      const [from = 0, to = 0] = [cuts[a % cuts.length]!, cuts[b % cuts.length]!].toSorted((x, y) => x - y);
      const kept = [...view.slice(0, from), ...view.slice(to)];
      assert.equal(enforceRules(kept, view).length, kept.length);
      assertPaired(kept);
    }),
    { numRuns: RUNS },
  );
});

test('two open calls with the same id: a result goes with the call that it names', () => {
  const clock = countingClock();
  const event = (draft: object) => eventOf(draft as Draft, null, clock);
  const [first, second] = [event(callDraft('call', 'response-1')), event(callDraft('call', 'response-2'))];
  const answer = event(observationDraft('call', first.id));
  const forgets = { source: 'environment', forgotten_event_ids: [first.id], kind: 'Condensation' };
  const last = event(observationDraft('call', second.id));
  const view = viewOf([first, second, answer, event({ ...forgets, llm_response_id: 'condenser' }), last]);
  assert.deepEqual(view.events, [second, last]);
});

test('whatever is forgotten at all, what is left keeps the rules', () => {
  fc.assert(
    fc.property(randomHistory, fc.infiniteStream(fc.boolean()), (events, choices) => {
      const { events: view } = viewOf(events);
      const kept = view.filter(() => choices.next().value);
      const left = enforceRules(kept, view);
      for (const rule of HISTORY_RULES) assert.equal(rule.enforce(left, view).length, left.length, rule.name);
      assertPaired(left);
    }),
    { numRuns: RUNS },
  );
});

test('the rules hold of every view at every step of every history', () => {
  fc.assert(
    fc.property(randomHistory, (events) => {
      const view = new View();
      for (const event of events) {
        const before = view.events.length;
        view.append(event);
        if (isPromptEvent(event) && isResult(event) && view.events.length > before)
          assert.ok(
            view.events.some(
              (each) => each.kind === 'ActionEvent' && each.tool_call_id === event.tool_call_id,
            ),
          );
      }
      assert.equal(enforceRules(view.events, view.events).length, view.events.length);
      assertPaired(view.events);
    }),
    { numRuns: RUNS },
  );
});

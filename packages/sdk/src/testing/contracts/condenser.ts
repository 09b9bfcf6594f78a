import assert from 'node:assert/strict';
import { test } from 'node:test';
import { text } from '../../event/content.ts';
import { eventOf } from '../../event/draft.ts';
import { systemClock } from '../../event/identity.ts';
import type { PromptEvent } from '../../event/kinds.ts';
import type { Message } from '../../event/message.ts';
import type { LLM } from '../../llm/llm.ts';
import { NO_USAGE } from '../../llm/llm.ts';
import type { Condensed, Condenser, CondenserContext } from '../../view/condensers/condenser.ts';
import { View } from '../../view/view.ts';
import { sampleConversation } from './sample-events.ts';

/**
 * Registers the tests (of `node:test`) that every Condenser must pass. `name` begins their names; `create` makes one for each
 * test. Its model answers "a summary" to everything, or fails.
 */
export function condenserContract(name: string, create: () => Condenser): void {
  for (const [state, context] of [
    ['', contextOf(async () => SUMMARIZER)],
    [', its model fails', contextOf(() => Promise.reject(new Error('no model')))],
    [
      ', the window overflows',
      { ...contextOf(async () => SUMMARIZER), tokens: async () => 900, contextWindow: 1_000 },
    ],
  ] as const) {
    for (const calls of [0, 1, 2, 5, 150])
      test(`${name}: a view of ${calls} calls stays one that a model accepts${state}`, async () => {
        const view = viewOf(sampleConversation(calls));
        assertAcceptable(view, await create().condense(view, context));
      });

    test(`${name}: a requested condensation leaves a view that a model accepts${state}`, async () => {
      const condenser = create();
      const view = viewOf(sampleConversation(150), true);
      const condensed = await condenser.condense(view, context);
      assertAcceptable(view, condensed);
      if (condenser.handlesRequests) assert.equal(condensed.kind, 'condensation');
    });
  }

  test(`${name}: the view is only read`, async () => {
    const view = viewOf(sampleConversation(150), true);
    const before = { events: [...view.events], messages: [...view.messages()] };
    await create().condense(
      view,
      contextOf(async () => SUMMARIZER),
    );
    assert.deepEqual({ events: [...view.events], messages: [...view.messages()] }, before);
    assert.equal(view.condensationRequested, true);
  });

  test(`${name}: a call that is not answered yet stays`, async () => {
    const view = viewOf(sampleConversation(150).slice(0, -1), true);
    const condensed = await create().condense(
      view,
      contextOf(async () => SUMMARIZER),
    );
    assert.equal(after(view, condensed).openActions().length, 1);
  });
}

const SUMMARIZER: LLM = {
  model: { name: 'summarizer', vision: false },
  usageId: 'condenser',
  complete: async () => ({
    id: 'response',
    message: { role: 'assistant', content: [text('a summary')] },
    finish: { reason: 'stop' },
    usage: NO_USAGE,
    costUsd: null,
    latencyMs: 0,
  }),
};

function contextOf(llm: () => Promise<LLM>): CondenserContext {
  return {
    llm,
    tokens: async () => 0,
    contextWindow: undefined,
    hiddenWhenOld: () => undefined,
    signal: new AbortController().signal,
    onNote: () => undefined,
  };
}

function viewOf(events: readonly PromptEvent[], isRequested = false): View {
  const view = new View();
  for (const event of events) view.append(event);
  if (isRequested) view.append(eventOf({ source: 'user', kind: 'CondensationRequest' }, null, systemClock));
  return view;
}

/** The view of the next step. */
function after(view: View, condensed: Condensed): View {
  if (condensed.kind !== 'condensation') return view;
  const next = viewOf(view.events);
  next.append(
    eventOf({ source: 'environment', ...condensed.condensation, kind: 'Condensation' }, null, systemClock),
  );
  return next;
}

function assertAcceptable(view: View, condensed: Condensed): void {
  if (condensed.kind === 'condensation') assertExact(view, condensed);
  const messages = condensed.kind === 'messages' ? condensed.messages : after(view, condensed).messages();
  assert.equal(messages[0]?.role, 'system');
  assertAnswered(messages);
}

/** It names events of the view, at least one, and everything that goes along with them; and it shortens the view. */
function assertExact(view: View, { condensation }: Condensed & { kind: 'condensation' }): void {
  const ids = condensation.forgotten_event_ids ?? [];
  const known = new Set(view.events.map(({ id }) => id));
  assert.ok(ids.length > 0);
  assert.deepEqual(
    ids.filter((id) => !known.has(id)),
    [],
  );
  assert.equal(condensation.summary === undefined, condensation.summary_offset === undefined);
  const next = after(view, { kind: 'condensation', condensation });
  const forgotten = new Set(ids);
  assert.deepEqual(
    next.events.filter(({ kind }) => kind !== 'CondensationSummaryEvent').map(({ id }) => id),
    view.events.map(({ id }) => id).filter((id) => !forgotten.has(id)),
  );
  assert.ok(next.events.length <= view.events.length);
}

/** Each call is followed by its result, and each result follows a call. */
function assertAnswered(messages: readonly Message[]): void {
  let expected: string[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      assert.equal(message.tool_call_id, expected.shift());
    } else {
      assert.deepEqual(expected, []);
      expected = (message.tool_calls ?? []).map(({ id }) => id);
    }
  }
}

/**
 * What must hold for every view, whatever was forgotten. Each rule can say what else has to be removed after something was removed,
 * and where a view must not be cut. After the reference's view properties (SDK 1.43).
 */
import { type ActionEvent, isResult, type PromptEvent, type ResultEvent } from '../event/kinds.ts';

type Events = readonly PromptEvent[];

export interface HistoryRule {
  readonly name: string;
  /** `kept` without the events that may not stay on their own; `before` is the view that `kept` was taken from. */
  enforce(kept: Events, before: Events): Events;
  /** The places where a cut would break the rule; `i` is the place before event `i`. */
  forbiddenCuts(events: Events): ReadonlySet<number>;
}

/**
 * The id of the open action that a result answers; undefined if there is none. An AgentErrorEvent names only the call. Ids of
 * calls come from the provider and may repeat: then the last open call is meant.
 */
export function answeredBy(result: ResultEvent, open: ReadonlyMap<string, ActionEvent>): string | undefined {
  if ('action_id' in result) return open.has(result.action_id) ? result.action_id : undefined;
  return [...open.values()].findLast((action) => action.tool_call_id === result.tool_call_id)?.id;
}

/** The index of each result that answers a call, with the index of that call. */
export function answers(events: Events): ReadonlyMap<number, number> {
  const open = new Map<string, ActionEvent>();
  const places = new Map<string, number>();
  const pairs = new Map<number, number>();
  for (const [i, event] of events.entries()) {
    if (event.kind === 'ActionEvent') {
      open.set(event.id, event);
      places.set(event.id, i);
    } else if (isResult(event)) {
      const id = answeredBy(event, open);
      const call = id === undefined ? undefined : places.get(id);
      if (id === undefined || call === undefined) continue;
      open.delete(id);
      pairs.set(i, call);
    }
  }
  return pairs;
}

/** Every result answers a call, and no call is answered twice. */
const onceAnswered: HistoryRule = {
  name: 'each result answers one call',
  // Pairs are taken from the view before: where calls share an id, a result could seem to answer another call in `kept`.
  enforce: (kept, before) => {
    const answering = new Set([...answers(before).keys()].map((place) => before[place]?.id));
    return filtered(kept, (event) => !isResult(event) || answering.has(event.id));
  },
  forbiddenCuts: () => new Set(),
};

/** The calls of one answer of the model stay or go together. */
const wholeBatches: HistoryRule = {
  name: 'calls of one turn stay together',
  enforce: (kept, before) => {
    const sizes = batchSizes(kept);
    const whole = batchSizes(before);
    return filtered(
      kept,
      (event) =>
        event.kind !== 'ActionEvent' ||
        (sizes.get(event.llm_response_id) ?? 0) >= (whole.get(event.llm_response_id) ?? 0),
    );
  },
  forbiddenCuts: (events) =>
    insideOf(events, (event) => (event.kind === 'ActionEvent' ? event.llm_response_id : undefined)),
};

function batchSizes(events: Events): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const event of events)
    if (event.kind === 'ActionEvent')
      sizes.set(event.llm_response_id, (sizes.get(event.llm_response_id) ?? 0) + 1);
  return sizes;
}

/** A call and its result stay or go together. A call that was never answered may stay. */
const pairedCalls: HistoryRule = {
  name: 'a call goes with its result',
  enforce: (kept, before) => {
    const there = new Set(kept.map(({ id }) => id));
    const lost = new Set<string>();
    for (const [result, call] of answers(before)) {
      const [answer, action] = [before[result] as PromptEvent, before[call] as PromptEvent];
      if (!there.has(answer.id)) lost.add(action.id);
      if (!there.has(action.id)) lost.add(answer.id);
    }
    return filtered(kept, ({ id }) => !lost.has(id));
  },
  forbiddenCuts: (events) => {
    const forbidden = new Set<number>();
    for (const [result, call] of answers(events))
      for (let i = call + 1; i <= result; i += 1) forbidden.add(i);
    return forbidden;
  },
};

/** A signed thought stays or goes together with the calls and results that follow it: Anthropic rejects a part of them. */
const wholeLoops: HistoryRule = {
  name: 'what follows from a signed thought stays with it',
  enforce: (kept, before) => {
    const there = new Set(kept.map(({ id }) => id));
    const broken = new Set<string>();
    for (const loop of loopsOf(before)) {
      const events = before.slice(loop.from, loop.to);
      if (events.some(({ id }) => !there.has(id))) for (const { id } of events) broken.add(id);
    }
    return filtered(kept, ({ id }) => !broken.has(id));
  },
  forbiddenCuts: (events) => {
    const forbidden = new Set<number>();
    for (const { from, to } of loopsOf(events)) for (let i = from + 1; i < to; i += 1) forbidden.add(i);
    return forbidden;
  },
};

function loopsOf(events: Events): { readonly from: number; readonly to: number }[] {
  const loops: { from: number; to: number }[] = [];
  let from: number | null = null;
  for (const [i, event] of events.entries()) {
    const begins = event.kind === 'ActionEvent' && isThinking(event);
    if (from !== null && (begins || (event.kind !== 'ActionEvent' && !isResult(event)))) {
      loops.push({ from, to: i });
      from = null;
    }
    if (begins) from = i;
  }
  if (from !== null) loops.push({ from, to: events.length });
  return loops;
}

function isThinking({ thinking_blocks: blocks }: ActionEvent): boolean {
  return blocks !== undefined && blocks.length > 0;
}

/** In the order in which they are applied. */
export const HISTORY_RULES: readonly HistoryRule[] = [onceAnswered, wholeBatches, pairedCalls, wholeLoops];

/** Applies all rules to `kept` until none of them removes anything. */
export function enforceRules(kept: Events, before: Events): Events {
  let events = kept;
  for (;;) {
    const stricter = HISTORY_RULES.reduce((each, rule) => rule.enforce(each, before), events);
    if (stricter.length === events.length) return events;
    events = stricter;
  }
}

/** The places where a view may be cut, in order: `i` is the place before event `i`, from 0 to the length of the view. */
export function cutPoints(events: Events): number[] {
  const forbidden = HISTORY_RULES.map((rule) => rule.forbiddenCuts(events));
  return Array.from({ length: events.length + 1 }, (_, i) => i).filter(
    (i) => !forbidden.some((set) => set.has(i)),
  );
}

/** The places between the first and the last event of each group. */
function insideOf(events: Events, groupOf: (event: PromptEvent) => string | undefined): Set<number> {
  const first = new Map<string, number>();
  const forbidden = new Set<number>();
  for (const [i, event] of events.entries()) {
    const group = groupOf(event);
    if (group === undefined) continue;
    const begin = first.get(group);
    if (begin === undefined) first.set(group, i);
    else for (let cut = begin + 1; cut <= i; cut += 1) forbidden.add(cut);
  }
  return forbidden;
}

/** Like `filter`, but returns the same list if nothing is removed. */
function filtered(events: Events, keep: (event: PromptEvent, i: number) => boolean): Events {
  const kept = events.filter(keep);
  return kept.length === events.length ? events : kept;
}

/** Old results of tools are hidden in the prompt. Calls, ids and pairing stay, and no event is forgotten. */
import { text } from '../../event/content.ts';
import { isResult, type PromptEvent } from '../../event/kinds.ts';
import type { Message } from '../../event/message.ts';
import { answers } from '../rules.ts';
import type { View } from '../view.ts';
import { type Condenser, type CondenserContext, KEEP } from './condenser.ts';
import { defineCondenser } from './condenser-kind.ts';

/** Results of tools older than the newest events read `<MASKED>`. */
export interface ObservationMaskingSpec {
  readonly type: 'observation_masking';
  /** How many of the newest events are shown in full; default 100. */
  readonly attentionWindow?: number;
}

/** Results of tools older than the model's last turns read `omitted`. */
export interface OmitOutputsSpec {
  readonly type: 'omit_outputs';
  /** Default 1. */
  readonly turns?: number;
}

/** Results of tools before the model's last turn read `omitted`. */
export interface DiscardAllSpec {
  readonly type: 'discard_all';
}

/** Replaces all pages of a browser but the newest by the placeholder that the tool gives. */
export interface BrowserOutputMaskingSpec {
  readonly type: 'browser_output_masking';
  /** How many pages are shown in full; default 1. */
  readonly attentionWindow?: number;
}

export const observationMasking = defineCondenser<ObservationMaskingSpec>({
  sizes: { attentionWindow: 1 },
  create: ({ attentionWindow = 100 }) =>
    masking(({ events }) => masked(events.slice(0, -attentionWindow), () => '<MASKED>')),
});

export const omitOutputs = defineCondenser<OmitOutputsSpec>({
  sizes: { turns: 1 },
  create: ({ turns = 1 }) => masking(({ events }) => masked(olderThanTurns(events, turns), () => 'omitted')),
});

export const discardAll = defineCondenser<DiscardAllSpec>({
  create: () => masking(({ events }) => masked(olderThanTurns(events, 1), () => 'omitted')),
});

export const browserOutputMasking = defineCondenser<BrowserOutputMaskingSpec>({
  sizes: { attentionWindow: 1 },
  create: ({ attentionWindow = 1 }) =>
    masking(
      ({ events }, { hiddenWhenOld }) => new Map(hideable(events, hiddenWhenOld).slice(0, -attentionWindow)),
    ),
});

/** The placeholders, by the id of the result. */
type Masks = ReadonlyMap<string, string>;

function masking(masksOf: (view: View, context: CondenserContext) => Masks): Condenser {
  const mask = masker();
  return {
    handlesRequests: false,
    condense: async (view, context) => {
      const masks = masksOf(view, context);
      return masks.size === 0 ? KEEP : { kind: 'messages', messages: mask(view, masks) };
    },
  };
}

function masked(events: readonly PromptEvent[], words: (event: PromptEvent) => string): Masks {
  return new Map(events.filter(isResult).map((event) => [event.id, words(event)]));
}

/** The events before the last `turns` answers of the model. */
function olderThanTurns(events: readonly PromptEvent[], turns: number): readonly PromptEvent[] {
  const seen = new Set<string>();
  let begin = events.length;
  for (let i = events.length - 1; i >= 0; i -= 1) {
    const turn = turnOf(events[i] as PromptEvent);
    if (turn === undefined) continue;
    seen.add(turn);
    if (seen.size > turns) return events.slice(0, begin);
    begin = i;
  }
  return [];
}

function turnOf(event: PromptEvent): string | undefined {
  if (event.kind === 'ActionEvent') return event.llm_response_id;
  return event.kind === 'MessageEvent' && event.source === 'agent' ? event.id : undefined;
}

/** The ids of the results that their tools allow to hide, with their placeholders. */
function hideable(
  events: readonly PromptEvent[],
  hiddenWhenOld: CondenserContext['hiddenWhenOld'],
): readonly (readonly [id: string, words: string])[] {
  return events.flatMap((event) => {
    const words = event.kind === 'ObservationEvent' ? hiddenWhenOld(event.observation) : undefined;
    return words === undefined ? [] : [[event.id, words] as const];
  });
}

/** Masks the same message into the same object. */
function masker(): (view: View, masks: Masks) => readonly Message[] {
  const made = new WeakMap<Message, Message>();
  return (view, masks) => {
    const words = wordsOfCalls(view.events, masks);
    let calls = 0;
    return view.messages().map((message) => {
      // Each call has one message with its result, in the order of the calls; ids may repeat.
      const word = message.role === 'tool' ? words[calls++] : undefined;
      if (word === undefined) return message;
      const known = made.get(message);
      if (known !== undefined) return known;
      const masked = { ...message, content: [text(word)] };
      made.set(message, masked);
      return masked;
    });
  };
}

/** The placeholder for the result of each call, in order; undefined if the result is shown. */
function wordsOfCalls(events: readonly PromptEvent[], masks: Masks): readonly (string | undefined)[] {
  const byCall = new Map<number, string>();
  for (const [result, call] of answers(events)) {
    const words = masks.get((events[result] as PromptEvent).id);
    if (words !== undefined) byCall.set(call, words);
  }
  return events.flatMap((event, i) => (event.kind === 'ActionEvent' ? [byCall.get(i)] : []));
}

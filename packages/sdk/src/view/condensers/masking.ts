/** What tools gave before is not shown again; calls, ids and pairing stay, and so do the events. */
import { text } from '../../event/content.ts';
import { isResult, type PromptEvent } from '../../event/kinds.ts';
import type { Message } from '../../event/message.ts';
import { answers } from '../rules.ts';
import type { View } from '../view.ts';
import { type Condenser, type CondenserContext, KEEP } from './condenser.ts';

export type MaskingSpec =
  | { readonly type: 'observation_masking'; readonly attentionWindow?: number }
  | { readonly type: 'omit_outputs'; readonly turns?: number }
  | { readonly type: 'discard_all' }
  | { readonly type: 'browser_output_masking'; readonly attentionWindow?: number };

/** By the id of a result, what is shown in its place. */
type Masks = ReadonlyMap<string, string>;

export function masking(spec: MaskingSpec): Condenser {
  const mask = masker();
  return {
    handlesRequests: false,
    condense: async (view, { hiddenWhenOld }) => {
      const masks = masksOf(spec, view, hiddenWhenOld);
      return masks.size === 0 ? KEEP : { kind: 'messages', messages: mask(view, masks) };
    },
  };
}

function masksOf(spec: MaskingSpec, view: View, hiddenWhenOld: CondenserContext['hiddenWhenOld']): Masks {
  switch (spec.type) {
    case 'observation_masking':
      return masked(view.events.slice(0, -(spec.attentionWindow ?? 100)), () => '<MASKED>');
    case 'omit_outputs':
      return masked(olderThanTurns(view.events, spec.turns ?? 1), () => 'omitted');
    case 'discard_all':
      return masked(olderThanTurns(view.events, 1), () => 'omitted');
    case 'browser_output_masking':
      return new Map(hideable(view.events, hiddenWhenOld).slice(0, -(spec.attentionWindow ?? 1)));
  }
}

function masked(events: readonly PromptEvent[], words: (event: PromptEvent) => string): Masks {
  return new Map(events.filter(isResult).map((event) => [event.id, words(event)]));
}

/** What stands before the last `turns` answers of the model. */
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

/** Results that their tools let be hidden, by id, with what stands in for them. */
function hideable(
  events: readonly PromptEvent[],
  hiddenWhenOld: CondenserContext['hiddenWhenOld'],
): readonly (readonly [id: string, words: string])[] {
  return events.flatMap((event) => {
    const words = event.kind === 'ObservationEvent' ? hiddenWhenOld(event.observation) : undefined;
    return words === undefined ? [] : [[event.id, words] as const];
  });
}

/** The same message is masked into the same object. */
function masker(): (view: View, masks: Masks) => readonly Message[] {
  const made = new WeakMap<Message, Message>();
  return (view, masks) => {
    const words = wordsOfCalls(view.events, masks);
    let calls = 0;
    return view.messages().map((message) => {
      // Each call has one message with its result, in the order of the calls; their ids may repeat.
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

/** Call by call, what is shown in place of its result; undefined where that is shown itself. */
function wordsOfCalls(events: readonly PromptEvent[], masks: Masks): readonly (string | undefined)[] {
  const byCall = new Map<number, string>();
  for (const [result, call] of answers(events)) {
    const words = masks.get((events[result] as PromptEvent).id);
    if (words !== undefined) byCall.set(call, words);
  }
  return events.flatMap((event, i) => (event.kind === 'ActionEvent' ? [byCall.get(i)] : []));
}

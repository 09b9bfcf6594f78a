/**
 * Splits a history into passages for exports: a turn of the assistant with its calls and the one result of each, or a single
 * other event. Calls and results are paired as in a prompt: a result without an open call in its turn is omitted.
 */
import { type ActionEvent, type Event, isResult, type ResultEvent } from '../event/kinds.ts';

export interface Call {
  readonly action: ActionEvent;
  /** Undefined if none was recorded. */
  readonly result: ResultEvent | undefined;
}

export interface Turn {
  readonly kind: 'turn';
  readonly responseId: string;
  readonly calls: readonly Call[];
}

export type Passage = Turn | { readonly kind: 'event'; readonly event: Event };

/** The text for a result that was never recorded. */
export const NO_RESULT = 'No result of this call was recorded; its effect is unknown.';

interface OpenTurn {
  readonly responseId: string;
  readonly calls: { readonly action: ActionEvent; result: ResultEvent | undefined }[];
  /** Events between a call and its result; they follow the turn. */
  readonly meanwhile: Event[];
}

export function passagesOf(events: Iterable<Event>): Passage[] {
  const passages: Passage[] = [];
  let open: OpenTurn | undefined;
  const settle = (turn: OpenTurn | undefined) => {
    if (turn === undefined) return;
    const { responseId, calls, meanwhile } = turn;
    passages.push({ kind: 'turn', responseId, calls });
    for (const event of meanwhile) passages.push({ kind: 'event', event });
  };
  for (const event of events) {
    if (event.kind === 'ActionEvent') {
      if (open?.responseId !== event.llm_response_id) {
        settle(open);
        open = { responseId: event.llm_response_id, calls: [], meanwhile: [] };
      }
      open.calls.push({ action: event, result: undefined });
    } else if (isResult(event)) {
      const call = open?.calls.find(({ action, result }) => result === undefined && answers(event, action));
      if (call !== undefined) call.result = event;
    } else if (open?.calls.some(({ result }) => result === undefined)) {
      open.meanwhile.push(event);
    } else {
      settle(open);
      open = undefined;
      passages.push({ kind: 'event', event });
    }
  }
  settle(open);
  return passages;
}

function answers(result: ResultEvent, action: ActionEvent): boolean {
  return result.tool_call_id === action.tool_call_id;
}

import { isResult, type PromptEvent } from '../../event/kinds.ts';
import { essentialsOf } from '../essentials.ts';
import { cutPoints } from '../rules.ts';
import { type CondensationDraft, KEEP } from './condenser.ts';
import { defineCondenser } from './condenser-kind.ts';

/** On request, keeps the system prompt, the user's first message, and the newest half of the rest. */
export interface ConversationWindowSpec {
  readonly type: 'conversation_window';
}

export const conversationWindow = defineCondenser<ConversationWindowSpec>({
  create: () => ({
    handlesRequests: true,
    condense: async (view) => {
      const condensation = view.condensationRequested ? windowCondensation(view.events) : null;
      return condensation === null ? KEEP : { kind: 'condensation', condensation };
    },
  }),
});

/** Null if nothing can be removed. */
export function windowCondensation(events: readonly PromptEvent[]): CondensationDraft | null {
  const first = events.findIndex((event) => event.kind === 'MessageEvent' && event.source === 'user');
  const start = first + 1;
  if (events.length <= start) return null;
  const middle = start + Math.ceil((events.length - start) / 2);
  const end = cutPoints(events).findLast(
    (cut) => cut <= middle && !isResult(events[cut] ?? (events[0] as PromptEvent)),
  );
  if (end === undefined || end <= start) return null;
  const essentials = essentialsOf(events);
  const forgotten = events.slice(start, end).filter((event) => !essentials.has(event));
  return forgotten.length === 0
    ? null
    : { forgotten_event_ids: forgotten.map(({ id }) => id), llm_response_id: '' };
}

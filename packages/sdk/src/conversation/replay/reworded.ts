import { senderOf } from '../../agent/sender.ts';
import type { Draft } from '../../event/draft.ts';
import type { Event } from '../../event/kinds.ts';

/**
 * Gives a message of the engine the words of the record, because a replay compares decisions, not how this version words them. If the record
 * has no senders, the sender is dropped too.
 */
export function reworded(draft: Draft, recorded: Event | undefined): Draft {
  if (draft.kind === 'MessageEvent' && recorded?.kind === 'MessageEvent')
    return rewordedMessage(draft, recorded);
  if (draft.kind === 'AgentErrorEvent' && recorded?.kind === 'AgentErrorEvent')
    return draft.tool_call_id === recorded.tool_call_id ? { ...draft, error: recorded.error } : draft;
  if (draft.kind === 'ConversationErrorEvent' && recorded?.kind === 'ConversationErrorEvent')
    return draft.code === recorded.code ? { ...draft, detail: recorded.detail } : draft;
  return draft;
}

function rewordedMessage(
  draft: Extract<Draft, { kind: 'MessageEvent' }>,
  recorded: Extract<Event, { kind: 'MessageEvent' }>,
): Draft {
  if (draft.sender === undefined) return draft;
  const { sender, ...unsigned } = draft;
  const cause = senderOf(recorded);
  const signed =
    recorded.sender === undefined && (cause === undefined || cause === sender) ? unsigned : draft;
  return cause === sender ? { ...signed, llm_message: recorded.llm_message } : signed;
}

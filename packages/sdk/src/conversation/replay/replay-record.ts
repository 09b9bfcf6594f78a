/** Reads a recorded conversation at a given index: the messages, answers, results and condensations that follow there. */
import { SENDERS, type Sender, senderOf } from '../../agent/sender.ts';
import type { Recall } from '../../context/knowledge.ts';
import { textOf } from '../../event/content.ts';
import type { Draft } from '../../event/draft.ts';
import { type ActionEvent, type Event, isResult, type MessageEvent } from '../../event/kinds.ts';
import type { Message } from '../../event/message.ts';
import { LLMError, type LLMErrorCode } from '../../llm/errors.ts';
import { type Completion, NO_USAGE } from '../../llm/llm.ts';
import { ReplayMismatch } from '../../llm/playback/cassette.ts';
import { defined } from '../../value/defined.ts';
import { type Condensed, KEEP } from '../../view/condensers/condenser.ts';
import type { HookEventType } from '../hooks/hook-config.ts';
import type { HookVerdict } from '../hooks/hooks.ts';

type Events = readonly Event[];

/** Whether a person wrote the message, not the engine in the user's name. */
export function isOfUser(event: Event | undefined): event is MessageEvent {
  return event?.kind === 'MessageEvent' && event.source === 'user' && senderOf(event) === undefined;
}

function isSentBy(sender: Sender, event: Event | undefined): event is MessageEvent {
  return event?.kind === 'MessageEvent' && senderOf(event) === sender;
}

function isOfAgent(event: Event | undefined): event is ActionEvent | MessageEvent {
  return event?.kind === 'ActionEvent' || (event?.kind === 'MessageEvent' && event.source === 'agent');
}

export function comesWithMessage(event: Event | undefined): boolean {
  // A replay is one session: the end of a recorded session is stored with the next message.
  if (event?.kind === 'HookExecutionEvent')
    return event.hook_event_type === 'UserPromptSubmit' || event.hook_event_type === 'SessionEnd';
  return event?.kind === 'SystemPromptEvent';
}

/** Only the user requests a condensation between two runs. */
export function isRequestOfUser(event: Event | undefined): boolean {
  return event?.kind === 'CondensationRequest' && event.source === 'user';
}

/** The index of the user's next message, if only events that are stored with it come before it. */
export function nextWords(events: Events, at: number): number | undefined {
  let next = at;
  while (comesWithMessage(events[next])) next += 1;
  return isOfUser(events[next]) ? next : undefined;
}

/** The automatic reply to what the agent said before `at`; undefined if there was none. */
export function autoReplyAt(events: Events, at: number): string | undefined {
  let next = at;
  while (comesWithMessage(events[next])) next += 1;
  const reply = events[next];
  return isAutoReply(reply) ? textIn(reply) : undefined;
}

export function isAutoReply(event: Event | undefined): event is MessageEvent {
  return isSentBy(SENDERS.autoContinue, event);
}

/** What the agent was told here of tools that have changed. */
export function toolChangeAt(events: Events, at: number): string | undefined {
  const next = events[at];
  return isSentBy(SENDERS.toolsChanged, next) ? textIn(next) : undefined;
}

/** Whether the agent speaks instead of calling a tool. */
export function isSpeech(event: Event): boolean {
  return event.kind === 'MessageEvent' && event.source === 'agent';
}

/** Whether the message may have arrived while the model was answering: that answer did not end the run, and the model was asked again. */
export function cameWhileThinking(events: Events, message: number): boolean {
  const answer = events[message + 1];
  if (!isOfAgent(answer)) return false;
  const after = events
    .slice(message + 2)
    .find(
      (event) =>
        !isResult(event) &&
        event.kind !== 'HookExecutionEvent' &&
        !(event.kind === 'ActionEvent' && event.llm_response_id === answer.llm_response_id),
    );
  return isOfAgent(after);
}

/** The verdict of the hooks at this index. */
export function hooksAt(
  events: Events,
  at: number,
  type: HookEventType,
  actionId: string | undefined,
): HookVerdict {
  const said: Draft[] = [];
  for (let i = type === 'Stop' ? behindTurn(events, at) : at; ; i += 1) {
    const next = events[i];
    if (next?.kind !== 'HookExecutionEvent') break;
    const isOfSessionBefore = type === 'UserPromptSubmit' && next.hook_event_type === 'SessionEnd';
    if (next.hook_event_type !== type && !isOfSessionBefore) break;
    if (actionId !== undefined && next.action_id !== actionId) break;
    said.push(draftOf(next));
    if (next.blocked === true)
      return { events: said, additionalContext: contextsOf(said), refusal: next.reason ?? '' };
  }
  // What hooks added to a message is part of the message.
  return { events: said, additionalContext: type === 'UserPromptSubmit' ? [] : contextsOf(said) };
}

/** Where the stop hooks may be, which run before the turn that would end the run is stored; -1: there are none. */
function behindTurn(events: Events, at: number): number {
  return events.findIndex(
    (event, i) =>
      i >= at &&
      (isOfUser(event) || (event.kind === 'HookExecutionEvent' && event.hook_event_type === 'Stop')),
  );
}

function contextsOf(events: readonly Draft[]): string[] {
  return events.flatMap((event) =>
    event.kind === 'HookExecutionEvent' && event.additional_context !== undefined
      ? [event.additional_context]
      : [],
  );
}

/** The skills and texts that were added to a message. */
export function recallAt(events: Events, at: number, words: string): Recall {
  const said = events
    .slice(at)
    .find((event) => isOfUser(event) && textOf(event.llm_message.content) === words);
  if (said?.kind !== 'MessageEvent') return { names: [], content: [] };
  return { names: said.activated_skills ?? [], content: said.extended_content ?? [] };
}

/** The condensation at this index, if there is one. */
export function condensedAt(events: Events, at: number): Condensed {
  const next = events[at];
  if (next?.kind !== 'Condensation') return KEEP;
  const { forgotten_event_ids, summary, summary_offset, llm_response_id } = next;
  return {
    kind: 'condensation',
    condensation: {
      ...defined({ forgotten_event_ids, summary, summary_offset }),
      llm_response_id,
    },
  };
}

/** The model's turn, rebuilt from its events. Throws the recorded error, or ReplayMismatch if no turn was recorded here. */
export function answerAt(events: Events, at: number): Completion {
  const next = events[at];
  switch (next?.kind) {
    case 'ActionEvent': {
      const calls = events
        .slice(at)
        .filter((event) => event.kind === 'ActionEvent')
        .filter((event) => event.llm_response_id === next.llm_response_id);
      return completionOf(next.llm_response_id, messageOfCalls(calls));
    }
    case 'MessageEvent':
      if (next.source === 'agent') return spoken(next, events[at + 1]);
      if (isSentBy(SENDERS.rejectedContent, next))
        throw new LLMError('LLMContentPolicyViolationError', 'refused');
      break;
    case 'CondensationRequest':
      throw new LLMError('LLMContextWindowExceedError', 'too long');
    case 'ConversationErrorEvent':
      throw new LLMError(next.code as LLMErrorCode, next.detail);
    default:
      break;
  }
  throw new ReplayMismatch(
    `the model is asked, but the record continues with event ${at}: ${next?.kind ?? 'nothing'}`,
  );
}

function spoken(event: MessageEvent, reply: Event | undefined): Completion {
  const answer = completionOf(event.llm_response_id ?? '', event.llm_message);
  return isSentBy(SENDERS.unreadableCall, reply) ? { ...answer, complaint: textIn(reply) } : answer;
}

/** The result of a call, and whether it requested a condensation. Throws ReplayMismatch if there is none. */
export function resultAt(
  events: Events,
  at: number,
  action: ActionEvent,
): { readonly draft: Draft; readonly wantsRoom: boolean } {
  const index = events.findIndex(
    (event, i) => i >= at && isResult(event) && event.tool_call_id === action.tool_call_id,
  );
  const recorded = events[index];
  if (recorded === undefined)
    throw new ReplayMismatch(`no result of ${action.tool_name} (${action.tool_call_id}) was recorded`);
  const next = events.slice(index + 1).find((event) => event.kind !== 'MessageEvent');
  const wantsRoom = next?.kind === 'CondensationRequest' && next.source === 'agent';
  return { draft: draftOf(recorded), wantsRoom };
}

/** Whether the record ends in the turn of an action, before its result. */
export function endsBeforeResult(
  events: Events,
  { tool_call_id: id, llm_response_id: turn }: ActionEvent,
): boolean {
  const first = events.findIndex((event) => event.kind === 'ActionEvent' && event.llm_response_id === turn);
  const rest = events.slice(first);
  const isOver = rest.every(
    (event) =>
      isResult(event) ||
      event.kind === 'HookExecutionEvent' ||
      (event.kind === 'ActionEvent' && event.llm_response_id === turn),
  );
  return isOver && !rest.some((event) => isResult(event) && event.tool_call_id === id);
}

/** Whether the model is told at this index how many turns are left. */
export function tellsTurnsLeft(events: Events, at: number): boolean {
  return isSentBy(SENDERS.turnsLeft, events[at]);
}

function draftOf({ id: _, timestamp: __, parent_id: ___, ...draft }: Event): Draft {
  return draft as Draft;
}

function textIn({ llm_message: { content } }: MessageEvent): string {
  const [first] = content;
  return first?.type === 'text' ? first.text : '';
}

function messageOfCalls(calls: readonly ActionEvent[]): Message {
  const [first] = calls;
  return {
    role: 'assistant',
    content: [...(first?.thought ?? [])],
    tool_calls: calls.map((call) => call.tool_call),
    ...(first?.reasoning_content === undefined ? {} : { reasoning_content: first.reasoning_content }),
    thinking_blocks: first?.thinking_blocks ?? [],
    ...(first?.responses_reasoning_item === undefined
      ? {}
      : { responses_reasoning_item: first.responses_reasoning_item }),
  };
}

function completionOf(id: string, message: Message): Completion {
  return { id, message, finish: { reason: 'other' }, usage: NO_USAGE, costUsd: null, latencyMs: 0 };
}

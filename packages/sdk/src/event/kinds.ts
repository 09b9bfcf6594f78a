/** The kinds of events that the engine knows, and the types of their events. */
import type * as z from 'zod';
import { type AnyEventKind, definedKinds, eventKind } from './event-kind.ts';
import { actionEvent } from './kinds/action.ts';
import { condensation, condensationRequest, condensationSummaryEvent } from './kinds/condensation.ts';
import {
  acpToolCallEvent,
  llmCompletionLogEvent,
  securityAnalysisEvent,
  streamingDeltaEvent,
  tokenEvent,
} from './kinds/foreign.ts';
import { messageEvent } from './kinds/message.ts';
import { agentErrorEvent, observationEvent, userRejectObservation } from './kinds/result.ts';
import {
  conversationErrorEvent,
  conversationStateUpdateEvent,
  hookExecutionEvent,
  interruptEvent,
  pauseEvent,
} from './kinds/run.ts';
import { systemPromptEvent } from './kinds/system-prompt.ts';

export { type Source, sourceSchema } from './event-kind.ts';
export { type Action, actionSchema, type Risk, riskSchema } from './kinds/action.ts';
export { type Observation, observationSchema } from './kinds/result.ts';
export { type ToolDescription, toolDescriptionSchema } from './kinds/system-prompt.ts';

const KINDS = {
  SystemPromptEvent: systemPromptEvent,
  MessageEvent: messageEvent,
  ActionEvent: actionEvent,
  ObservationEvent: observationEvent,
  UserRejectObservation: userRejectObservation,
  AgentErrorEvent: agentErrorEvent,
  CondensationSummaryEvent: condensationSummaryEvent,
  Condensation: condensation,
  CondensationRequest: condensationRequest,
  ConversationStateUpdateEvent: conversationStateUpdateEvent,
  ConversationErrorEvent: conversationErrorEvent,
  PauseEvent: pauseEvent,
  InterruptEvent: interruptEvent,
  TokenEvent: tokenEvent,
  HookExecutionEvent: hookExecutionEvent,
  LLMCompletionLogEvent: llmCompletionLogEvent,
  SecurityAnalysisEvent: securityAnalysisEvent,
  StreamingDeltaEvent: streamingDeltaEvent,
  ACPToolCallEvent: acpToolCallEvent,
};

/** The name of a kind that the engine knows. */
export type EventKind = keyof typeof KINDS;
/** The events of one kind. */
export type EventOf<K extends EventKind> = Readonly<z.infer<ReturnType<(typeof KINDS)[K]['schema']>>>;

/** Whether the engine itself knows the kind. */
export function isBuiltInKind(name: string): name is EventKind {
  return Object.hasOwn(KINDS, name);
}

/** The kind with a name: the engine's own, or one that was defined with `defineEventKind`. */
export function kindOf(name: string): AnyEventKind | undefined {
  return isBuiltInKind(name) ? (KINDS[name] as unknown as AnyEventKind) : eventKind(name);
}

/** The names of the kinds defined outside the engine whose events stand in the prompt, sorted. */
export function ownPromptKinds(): readonly string[] {
  const own = definedKinds().filter(({ kind, toMessage }) => !isBuiltInKind(kind) && toMessage !== undefined);
  return own.map(({ kind }) => kind).toSorted();
}

/** The schema of every kind that the engine knows, by its name. */
export function eventSchemas(): { readonly [K in EventKind]: ReturnType<(typeof KINDS)[K]['schema']> } {
  const schemas = Object.entries(KINDS).map(([name, kind]) => [name, kind.schema()]);
  return Object.fromEntries(schemas);
}

/** The system prompt and the tools, as the model was given them. */
export type SystemPromptEvent = EventOf<'SystemPromptEvent'>;
/** A message of the user, the agent or the environment. */
export type MessageEvent = EventOf<'MessageEvent'>;
/** A tool call that the model asked for. */
export type ActionEvent = EventOf<'ActionEvent'>;
/** The result of a tool call that was carried out. */
export type ObservationEvent = EventOf<'ObservationEvent'>;
/** The result of a call that a person or a hook refused. */
export type UserRejectObservation = EventOf<'UserRejectObservation'>;
/** The result of a call that failed. */
export type AgentErrorEvent = EventOf<'AgentErrorEvent'>;
/** A summary in the view; it is never stored. */
export type CondensationSummaryEvent = EventOf<'CondensationSummaryEvent'>;
/** Events are forgotten, and a summary may stand in their place. */
export type Condensation = EventOf<'Condensation'>;
/** A value of the conversation's state has changed. */
export type ConversationStateUpdateEvent = EventOf<'ConversationStateUpdateEvent'>;
/** The run ended with an error. */
export type ConversationErrorEvent = EventOf<'ConversationErrorEvent'>;

/** An event of a kind that the engine knows; `kind` tells which. */
export type KnownEvent = { [K in EventKind]: EventOf<K> }[EventKind];

/**
 * An event. One of another kind has the common fields, and its `kind` matches no case: if the program has defined the kind, it is
 * as that definition says; otherwise it is kept as it was read and is not in the prompt.
 */
export type Event = KnownEvent;

/** An event that answers a tool call. */
export type ResultEvent = ObservationEvent | UserRejectObservation | AgentErrorEvent;

/** Whether an event answers a tool call. */
export function isResult(event: Event): event is ResultEvent {
  return (
    event.kind === 'ObservationEvent' ||
    event.kind === 'UserRejectObservation' ||
    event.kind === 'AgentErrorEvent'
  );
}

/** An event that becomes part of a prompt; besides these, the events of a kind of your own that has `toMessage`. */
export type PromptEvent =
  | SystemPromptEvent
  | MessageEvent
  | ActionEvent
  | ResultEvent
  | CondensationSummaryEvent;

/** Whether an event becomes part of a prompt. */
export function isPromptEvent(event: Event): event is PromptEvent {
  return event.kind === 'ActionEvent' || isResult(event) || kindOf(event.kind)?.toMessage !== undefined;
}

/** False for bookkeeping, which is stored but never moves the HEAD of the conversation's tree. */
export function movesHead(event: Event): boolean {
  return event.kind !== 'ConversationStateUpdateEvent';
}

/** An event in words, as its kind shows it; undefined if the kind says nothing, or cannot read what another version stored. */
export function showEvent(event: Event): string | undefined {
  try {
    return kindOf(event.kind)?.show?.(event as never);
  } catch {
    return undefined;
  }
}

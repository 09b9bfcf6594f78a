/**
 * What can happen: every kind of event, with its schema.
 *
 * Format: the OpenHands SDK 1.43 writes one JSON object per event, common fields first, then the kind's own in
 * the order given here, `kind` last, nulls left out. The order of keys in a schema is the order on disk.
 */
import * as z from 'zod';
import { type ErrorClassification, errorClassificationSchema } from './classification.ts';
import { textContentSchema } from './content.ts';
import { messageSchema, messageToolCallSchema, reasoningItemSchema, thinkingBlockSchema } from './message.ts';

export const sourceSchema = z.enum(['agent', 'user', 'environment', 'hook']);
export type Source = z.infer<typeof sourceSchema>;

const head = {
  id: z.string().min(1),
  timestamp: z.string(),
  source: sourceSchema,
  parent_id: z.string().optional(),
};

/** An action or observation: `kind` names its class, the other keys belong to the tool. */
export const actionSchema = z.looseObject({ kind: z.string() });
export type Action = Readonly<z.infer<typeof actionSchema>>;

export const observationSchema = z.looseObject({
  content: z.array(
    z.union([
      textContentSchema,
      z.looseObject({ type: z.literal('image'), image_urls: z.array(z.string()) }),
    ]),
  ),
  is_error: z.boolean().optional(),
  kind: z.string(),
});
export type Observation = Readonly<z.infer<typeof observationSchema>>;

export const toolAnnotationsSchema = z.looseObject({
  title: z.string().optional(),
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
  idempotentHint: z.boolean().optional(),
  openWorldHint: z.boolean().optional(),
});

/** A tool as it stands in a SystemPromptEvent. */
export const toolDescriptionSchema = z.looseObject({ description: z.string(), kind: z.string() });
export type ToolDescription = Readonly<z.infer<typeof toolDescriptionSchema>>;

export const riskSchema = z.enum(['UNKNOWN', 'LOW', 'MEDIUM', 'HIGH']);
export type Risk = z.infer<typeof riskSchema>;

const looseRecord = z.record(z.string(), z.unknown());

/** The schema of every kind that we know, by its name. Making them takes milliseconds, and only reading needs them. */
function makeSchemas() {
  const systemPromptEvent = z.object({
    ...head,
    system_prompt: textContentSchema,
    tools: z.array(toolDescriptionSchema),
    dynamic_context: textContentSchema.optional(),
    kind: z.literal('SystemPromptEvent'),
  });

  const messageEvent = z.object({
    ...head,
    llm_message: messageSchema,
    llm_response_id: z.string().optional(),
    activated_skills: z.array(z.string()).optional(),
    extended_content: z.array(textContentSchema).optional(),
    sender: z.string().optional(),
    critic_result: looseRecord.optional(),
    kind: z.literal('MessageEvent'),
  });

  const actionEvent = z.object({
    ...head,
    thought: z.array(textContentSchema),
    reasoning_content: z.string().optional(),
    thinking_blocks: z.array(thinkingBlockSchema).optional(),
    responses_reasoning_item: reasoningItemSchema.optional(),
    action: actionSchema.optional(),
    tool_name: z.string(),
    tool_call_id: z.string(),
    tool_call: messageToolCallSchema,
    llm_response_id: z.string(),
    security_risk: riskSchema.optional(),
    critic_result: looseRecord.optional(),
    summary: z.string().optional(),
    kind: z.literal('ActionEvent'),
  });

  const observationEvent = z.object({
    ...head,
    tool_name: z.string(),
    tool_call_id: z.string(),
    observation: observationSchema,
    action_id: z.string(),
    extended_content: z.array(textContentSchema).optional(),
    kind: z.literal('ObservationEvent'),
  });

  const userRejectObservation = z.object({
    ...head,
    tool_name: z.string(),
    tool_call_id: z.string(),
    rejection_reason: z.string().optional(),
    rejection_source: z.enum(['user', 'hook']).optional(),
    action_id: z.string(),
    kind: z.literal('UserRejectObservation'),
  });

  const agentErrorEvent = z.object({
    ...head,
    tool_name: z.string(),
    tool_call_id: z.string(),
    error: z.string(),
    classification: errorClassificationSchema.optional(),
    kind: z.literal('AgentErrorEvent'),
  });

  const condensationSummaryEvent = z.object({
    ...head,
    summary: z.string(),
    kind: z.literal('CondensationSummaryEvent'),
  });

  const condensation = z.object({
    ...head,
    forgotten_event_ids: z.array(z.string()).optional(),
    summary: z.string().optional(),
    summary_offset: z.int().min(0).optional(),
    llm_response_id: z.string(),
    kind: z.literal('Condensation'),
  });

  const condensationRequest = z.object({ ...head, kind: z.literal('CondensationRequest') });

  const conversationStateUpdateEvent = z.object({
    ...head,
    key: z.string(),
    value: z.unknown(),
    kind: z.literal('ConversationStateUpdateEvent'),
  });

  const conversationErrorEvent = z.object({
    ...head,
    code: z.string(),
    detail: z.string(),
    classification: errorClassificationSchema.optional(),
    kind: z.literal('ConversationErrorEvent'),
  });

  const pauseEvent = z.object({ ...head, kind: z.literal('PauseEvent') });
  const interruptEvent = z.object({ ...head, kind: z.literal('InterruptEvent') });

  const tokenEvent = z.object({
    ...head,
    prompt_token_ids: z.array(z.int()),
    response_token_ids: z.array(z.int()),
    kind: z.literal('TokenEvent'),
  });

  const hookExecutionEvent = z.object({
    ...head,
    hook_event_type: z.enum([
      'PreToolUse',
      'PostToolUse',
      'UserPromptSubmit',
      'SessionStart',
      'SessionEnd',
      'Stop',
    ]),
    hook_command: z.string(),
    tool_name: z.string().optional(),
    success: z.boolean(),
    blocked: z.boolean().optional(),
    exit_code: z.int(),
    stdout: z.string().optional(),
    stderr: z.string().optional(),
    reason: z.string().optional(),
    additional_context: z.string().optional(),
    error: z.string().optional(),
    action_id: z.string().optional(),
    message_id: z.string().optional(),
    hook_input: looseRecord.optional(),
    kind: z.literal('HookExecutionEvent'),
  });

  const llmCompletionLogEvent = z.object({
    ...head,
    filename: z.string(),
    log_data: z.string(),
    model_name: z.string().optional(),
    usage_id: z.string().optional(),
    kind: z.literal('LLMCompletionLogEvent'),
  });

  const streamingDeltaEvent = z.object({
    ...head,
    content: z.string().optional(),
    reasoning_content: z.string().optional(),
    kind: z.literal('StreamingDeltaEvent'),
  });

  const acpToolCallEvent = z.object({
    ...head,
    tool_call_id: z.string(),
    title: z.string(),
    status: z.string().optional(),
    tool_kind: z.string().optional(),
    raw_input: z.unknown().optional(),
    raw_output: z.unknown().optional(),
    content: z.array(z.unknown()).optional(),
    is_error: z.boolean().optional(),
    kind: z.literal('ACPToolCallEvent'),
  });

  return {
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
    StreamingDeltaEvent: streamingDeltaEvent,
    ACPToolCallEvent: acpToolCallEvent,
  };
}

let schemas: ReturnType<typeof makeSchemas> | undefined;

export function eventSchemas(): ReturnType<typeof makeSchemas> {
  schemas ??= makeSchemas();
  return schemas;
}

/**
 * Keys that the reference always writes, with what it writes when nobody set them. A reader adds the missing
 * ones, so that an old event is written as the reference would write it today.
 */
export const EVENT_DEFAULTS: { readonly [kind: string]: { readonly [key: string]: unknown } } = {
  MessageEvent: { activated_skills: [], extended_content: [] },
  ActionEvent: { thinking_blocks: [], security_risk: 'UNKNOWN' },
  ObservationEvent: { extended_content: [] },
  UserRejectObservation: { rejection_reason: 'User rejected the action', rejection_source: 'user' },
  AgentErrorEvent: {
    classification: { kind: 'unknown', retryable: false, user_action: 'none' } satisfies ErrorClassification,
  },
  Condensation: { forgotten_event_ids: [] },
  HookExecutionEvent: { blocked: false, stdout: '', stderr: '' },
  LLMCompletionLogEvent: { model_name: 'unknown', usage_id: 'default' },
  ACPToolCallEvent: { is_error: false },
};

type Schemas = ReturnType<typeof makeSchemas>;
export type EventKind = keyof Schemas;
export type EventOf<K extends EventKind> = Readonly<z.infer<Schemas[K]>>;

export type SystemPromptEvent = EventOf<'SystemPromptEvent'>;
export type MessageEvent = EventOf<'MessageEvent'>;
export type ActionEvent = EventOf<'ActionEvent'>;
export type ObservationEvent = EventOf<'ObservationEvent'>;
export type UserRejectObservation = EventOf<'UserRejectObservation'>;
export type AgentErrorEvent = EventOf<'AgentErrorEvent'>;
export type CondensationSummaryEvent = EventOf<'CondensationSummaryEvent'>;
export type Condensation = EventOf<'Condensation'>;
export type ConversationStateUpdateEvent = EventOf<'ConversationStateUpdateEvent'>;
export type ConversationErrorEvent = EventOf<'ConversationErrorEvent'>;

/** Everything that happens is one of these; `kind` tells which. */
export type KnownEvent = { [K in EventKind]: EventOf<K> }[EventKind];

/**
 * An event. One of a kind that this version does not know is kept as it was read: it has the common fields, its
 * `kind` matches no case, and it takes no part in the prompt.
 */
export type Event = KnownEvent;

/** What answers a tool call. */
export type ResultEvent = ObservationEvent | UserRejectObservation | AgentErrorEvent;

export function isResult(event: Event): event is ResultEvent {
  return (
    event.kind === 'ObservationEvent' ||
    event.kind === 'UserRejectObservation' ||
    event.kind === 'AgentErrorEvent'
  );
}

/** The kinds that become part of a prompt. */
export type PromptEvent =
  | SystemPromptEvent
  | MessageEvent
  | ActionEvent
  | ResultEvent
  | CondensationSummaryEvent;

export function isPromptEvent(event: Event): event is PromptEvent {
  return (
    isResult(event) ||
    event.kind === 'SystemPromptEvent' ||
    event.kind === 'MessageEvent' ||
    event.kind === 'ActionEvent' ||
    event.kind === 'CondensationSummaryEvent'
  );
}

/** Bookkeeping that is stored but never moves the HEAD of the conversation tree. */
export function movesHead(event: Event): boolean {
  return event.kind !== 'ConversationStateUpdateEvent';
}

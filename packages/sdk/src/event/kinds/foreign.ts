/** Kinds that only other programs write; they are read, kept and shown. */
import * as z from 'zod';
import { defineEventKind } from '../event-kind.ts';

export const tokenEvent = defineEventKind({
  kind: 'TokenEvent',
  fields: () => ({ prompt_token_ids: z.array(z.int()), response_token_ids: z.array(z.int()) }),
});

export const llmCompletionLogEvent = defineEventKind({
  kind: 'LLMCompletionLogEvent',
  fields: () => ({
    filename: z.string(),
    log_data: z.string(),
    model_name: z.string().optional(),
    usage_id: z.string().optional(),
  }),
  defaults: { model_name: 'unknown', usage_id: 'default' },
});

export const streamingDeltaEvent = defineEventKind({
  kind: 'StreamingDeltaEvent',
  fields: () => ({ content: z.string().optional(), reasoning_content: z.string().optional() }),
});

export const acpToolCallEvent = defineEventKind({
  kind: 'ACPToolCallEvent',
  fields: () => ({
    tool_call_id: z.string(),
    title: z.string(),
    status: z.string().optional(),
    tool_kind: z.string().optional(),
    raw_input: z.unknown().optional(),
    raw_output: z.unknown().optional(),
    content: z.array(z.unknown()).optional(),
    is_error: z.boolean().optional(),
  }),
  defaults: { is_error: false },
});

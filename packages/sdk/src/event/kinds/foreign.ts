/** Kinds that only other programs write; they are read, kept and shown. */
import * as z from 'zod';
import { defineEventKind } from '../event-kind.ts';
import { riskSchema } from './action.ts';

export const tokenEvent = defineEventKind({
  kind: 'TokenEvent',
  fields: () => ({ prompt_token_ids: z.array(z.int()), response_token_ids: z.array(z.int()) }),
  show: ({ prompt_token_ids: prompt, response_token_ids: response }) =>
    `token ids: ${prompt.length} of the prompt, ${response.length} of the response`,
});

/** The OpenHands SDK, from 1.57: the verdict of a security analyzer on the calls of a turn, by the ids of their events. */
export const securityAnalysisEvent = defineEventKind({
  kind: 'SecurityAnalysisEvent',
  fields: () => ({
    analyzer: z.string(),
    policy: z.string(),
    risks: z.record(z.string(), riskSchema),
    details: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
  }),
  defaults: { details: {} },
  show: ({ analyzer, risks }) => {
    const found = Object.values(risks);
    return `${analyzer} rates ${found.length === 1 ? 'the call' : `${found.length} calls`}: ${found.join(', ') || 'nothing'}`;
  },
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
  show: ({ filename, model_name }) => `completion log ${filename} of ${model_name}`,
});

export const streamingDeltaEvent = defineEventKind({
  kind: 'StreamingDeltaEvent',
  fields: () => ({ content: z.string().optional(), reasoning_content: z.string().optional() }),
  show: ({ content, reasoning_content }) => `part of a reply: ${content ?? reasoning_content ?? ''}`,
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
  show: ({ title, status, is_error }) =>
    `call of another agent: ${title}${status === undefined ? '' : `, ${status}`}${is_error ? ' (error)' : ''}`,
});

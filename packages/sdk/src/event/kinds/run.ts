/** What happens to a run: state, errors, pauses, hooks. */
import * as z from 'zod';
import { isRecord } from '../../value/is-record.ts';
import { errorClassificationSchema } from '../classification.ts';
import { defineEventKind } from '../event-kind.ts';

export const conversationStateUpdateEvent = defineEventKind({
  kind: 'ConversationStateUpdateEvent',
  fields: () => ({ key: z.string(), value: z.unknown() }),
  show: ({ key, value }) => {
    if (key === 'execution_status') return `status: ${String(value)}`;
    if (key === 'stats') return 'accounts';
    if (key === 'tags' && isRecord(value) && typeof value['agent'] === 'string')
      return `agent: ${value['agent']}`;
    const shown = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
    return `${key}: ${shown.length > 100 ? `${shown.slice(0, 100)}...` : shown}`;
  },
});

export const conversationErrorEvent = defineEventKind({
  kind: 'ConversationErrorEvent',
  fields: () => ({
    code: z.string(),
    detail: z.string(),
    classification: errorClassificationSchema.optional(),
  }),
  show: ({ code, detail }) => `${code}: ${detail}`,
});

export const pauseEvent = defineEventKind({
  kind: 'PauseEvent',
  fields: () => ({}),
  show: () => 'paused by the user',
});

export const interruptEvent = defineEventKind({
  kind: 'InterruptEvent',
  fields: () => ({}),
  show: () => 'interrupted by the user',
});

export const hookExecutionEvent = defineEventKind({
  kind: 'HookExecutionEvent',
  fields: () => ({
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
    hook_input: z.record(z.string(), z.unknown()).optional(),
  }),
  defaults: { blocked: false, stdout: '', stderr: '' },
  show: ({ hook_event_type, hook_command, exit_code }) =>
    `hook ${hook_event_type}: ${hook_command} ended with ${exit_code}`,
});

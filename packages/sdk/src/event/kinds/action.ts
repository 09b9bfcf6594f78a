import * as z from 'zod';
import { defined } from '../../value/defined.ts';
import { type TextContent, textContentSchema } from '../content.ts';
import { defineEventKind } from '../event-kind.ts';
import { type Message, messageToolCallSchema, reasoningItemSchema, thinkingBlockSchema } from '../message.ts';

/** The schema of an action: `kind` names its class, the other keys belong to the tool. */
export const actionSchema = z.looseObject({ kind: z.string() });
/** What a tool is asked to do: `kind` names its class, the other keys belong to the tool. */
export type Action = Readonly<z.infer<typeof actionSchema>>;

/** The schema of `Risk`. */
export const riskSchema = z.enum(['UNKNOWN', 'LOW', 'MEDIUM', 'HIGH']);
/** How risky the model says that a call is. */
export type Risk = z.infer<typeof riskSchema>;

export const actionEvent = defineEventKind({
  kind: 'ActionEvent',
  fields: () => ({
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
    critic_result: z.record(z.string(), z.unknown()).optional(),
    summary: z.string().optional(),
  }),
  defaults: { thinking_blocks: [], security_risk: 'UNKNOWN' },
});

type ActionEvent = Readonly<z.infer<ReturnType<typeof actionEvent.schema>>>;

/** The assistant's turn that made these calls, in their order; there is at least one. */
export function messageOfCalls(calls: readonly [ActionEvent, ...ActionEvent[]]): Message {
  const [first] = calls;
  return {
    role: 'assistant',
    content: calls.flatMap((call): TextContent[] => [...call.thought]),
    tool_calls: calls.map((call) => call.tool_call),
    ...defined({ reasoning_content: first.reasoning_content }),
    thinking_blocks: first.thinking_blocks ?? [],
    ...defined({ responses_reasoning_item: first.responses_reasoning_item }),
  };
}

import * as z from 'zod';
import { contentSchema } from './content.ts';

/** The schema of one tool call as the model requested it; `arguments` is JSON text. */
export const messageToolCallSchema = z.object({
  id: z.string(),
  responses_item_id: z.string().optional(),
  name: z.string(),
  arguments: z.string(),
  origin: z.enum(['completion', 'responses']),
});
export type MessageToolCall = Readonly<z.infer<typeof messageToolCallSchema>>;

export const thinkingBlockSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('thinking'), thinking: z.string(), signature: z.string().optional() }),
  z.object({ type: z.literal('redacted_thinking'), data: z.string() }),
]);
export type ThinkingBlock = Readonly<z.infer<typeof thinkingBlockSchema>>;

/** The schema of a reasoning item of the Responses API; it is sent back verbatim. */
export const reasoningItemSchema = z.object({
  id: z.string().optional(),
  summary: z.array(z.string()).optional(),
  content: z.array(z.string()).optional(),
  encrypted_content: z.string().optional(),
  status: z.string().optional(),
});
export type ReasoningItem = Readonly<z.infer<typeof reasoningItemSchema>>;

/** The schema of a chat message. The key order is the order on disk. */
export const messageSchema = z.object({
  role: z.enum(['user', 'system', 'assistant', 'tool']),
  content: z.array(contentSchema),
  tool_calls: z.array(messageToolCallSchema).optional(),
  tool_call_id: z.string().optional(),
  name: z.string().optional(),
  reasoning_content: z.string().optional(),
  thinking_blocks: z.array(thinkingBlockSchema).optional(),
  responses_reasoning_item: reasoningItemSchema.optional(),
});
/** A chat message, in the wire form of the reference. */
export type Message = Readonly<z.infer<typeof messageSchema>>;

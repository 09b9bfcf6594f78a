import * as z from 'zod';
import { textContentSchema } from '../content.ts';
import { defineEventKind } from '../event-kind.ts';
import { messageSchema } from '../message.ts';

export const messageEvent = defineEventKind({
  kind: 'MessageEvent',
  fields: () => ({
    llm_message: messageSchema,
    llm_response_id: z.string().optional(),
    activated_skills: z.array(z.string()).optional(),
    extended_content: z.array(textContentSchema).optional(),
    sender: z.string().optional(),
    critic_result: z.record(z.string(), z.unknown()).optional(),
  }),
  defaults: { activated_skills: [], extended_content: [] },
  toMessage: ({ llm_message, extended_content = [] }) =>
    extended_content.length === 0
      ? llm_message
      : { ...llm_message, content: [...llm_message.content, ...extended_content] },
});

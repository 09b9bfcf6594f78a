import * as z from 'zod';
import { textContentSchema } from '../content.ts';
import { defineEventKind } from '../event-kind.ts';

/** The schema of a tool as it stands in a SystemPromptEvent. */
export const toolDescriptionSchema = z.looseObject({ description: z.string(), kind: z.string() });
/** A tool as it stands in a SystemPromptEvent. */
export type ToolDescription = Readonly<z.infer<typeof toolDescriptionSchema>>;

export const systemPromptEvent = defineEventKind({
  kind: 'SystemPromptEvent',
  fields: () => ({
    system_prompt: textContentSchema,
    tools: z.array(toolDescriptionSchema),
    dynamic_context: textContentSchema.optional(),
  }),
  toMessage: ({ system_prompt, dynamic_context }) => ({
    role: 'system',
    content: dynamic_context === undefined ? [system_prompt] : [system_prompt, dynamic_context],
  }),
  show: ({ system_prompt, dynamic_context, tools }) =>
    `system prompt: ${system_prompt.text.length + (dynamic_context?.text.length ?? 0)} characters, ${tools.length} tools`,
});

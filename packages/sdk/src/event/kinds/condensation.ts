/** How a history is made shorter: asked for, done, and what stands for what was taken out. */
import * as z from 'zod';
import { text } from '../content.ts';
import { defineEventKind } from '../event-kind.ts';

export const condensationRequest = defineEventKind({
  kind: 'CondensationRequest',
  fields: () => ({}),
  show: () => 'condensation requested',
});

export const condensation = defineEventKind({
  kind: 'Condensation',
  fields: () => ({
    forgotten_event_ids: z.array(z.string()).optional(),
    summary: z.string().optional(),
    summary_offset: z.int().min(0).optional(),
    llm_response_id: z.string(),
  }),
  defaults: { forgotten_event_ids: [] },
  show: ({ forgotten_event_ids, summary }) =>
    `forgets ${forgotten_event_ids?.length ?? 0} events; ${summary ?? 'no summary'}`,
});

export const condensationSummaryEvent = defineEventKind({
  kind: 'CondensationSummaryEvent',
  fields: () => ({ summary: z.string() }),
  show: ({ summary }) => `summary: ${summary}`,
  toMessage: ({ summary }) => ({ role: 'user', content: [text(summary)] }),
});

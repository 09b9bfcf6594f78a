/** What answers a call: the observation of its tool, a refusal, or an error. */
import * as z from 'zod';
import { type ErrorClassification, errorClassificationSchema } from '../classification.ts';
import { type Content, text, textContentSchema } from '../content.ts';
import { defineEventKind } from '../event-kind.ts';
import { observationContent } from './observation-content.ts';

/** The schema of an observation: `kind` names its class, further keys belong to the tool. */
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
/** What a tool answered: `kind` names its class, further keys belong to the tool. */
export type Observation = Readonly<z.infer<typeof observationSchema>>;

/** The fields that say which call it answers, before and after the kind's own. */
const CALL = { tool_name: z.string(), tool_call_id: z.string() };

export const observationEvent = defineEventKind({
  kind: 'ObservationEvent',
  fields: () => ({
    ...CALL,
    observation: observationSchema,
    action_id: z.string(),
    extended_content: z.array(textContentSchema).optional(),
  }),
  defaults: { extended_content: [] },
});

export const userRejectObservation = defineEventKind({
  kind: 'UserRejectObservation',
  fields: () => ({
    ...CALL,
    rejection_reason: z.string().optional(),
    rejection_source: z.enum(['user', 'hook']).optional(),
    action_id: z.string(),
  }),
  defaults: { rejection_reason: 'User rejected the action', rejection_source: 'user' },
});

export const agentErrorEvent = defineEventKind({
  kind: 'AgentErrorEvent',
  fields: () => ({
    ...CALL,
    error: z.string(),
    classification: errorClassificationSchema.optional(),
  }),
  defaults: {
    classification: { kind: 'unknown', retryable: false, user_action: 'none' } satisfies ErrorClassification,
  },
});

type EventOf<K extends { schema(): z.ZodType }> = Readonly<z.infer<ReturnType<K['schema']>>>;
type ResultEvent = EventOf<typeof observationEvent | typeof userRejectObservation | typeof agentErrorEvent>;

/** What the model sees of an observation; the tools know, for each kind. */
export type RenderObservation = (observation: Observation) => readonly Content[];

const ERROR_HEADER = '[An error occurred during execution.]\n';

/** What an observation says, after a header if it is an error. */
export function renderContent(observation: Observation): readonly Content[] {
  const content = observationContent(observation);
  return observation.is_error ? [text(ERROR_HEADER), ...content] : content;
}

/** What the model sees of a result. */
export function contentOfResult(event: ResultEvent, render: RenderObservation): readonly Content[] {
  switch (event.kind) {
    case 'ObservationEvent':
      return [...render(event.observation), ...(event.extended_content ?? [])];
    case 'UserRejectObservation':
      return [text(`Action rejected: ${event.rejection_reason ?? ''}`)];
    case 'AgentErrorEvent':
      return [text(event.error)];
  }
}

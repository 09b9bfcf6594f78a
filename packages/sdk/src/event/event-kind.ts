/**
 * How a kind of event is defined: what it holds, what the model sees of it, and what people see of it.
 *
 * Format: the OpenHands SDK 1.43 writes one JSON object per event: the common fields first, then the kind's own fields in the
 * order of its definition, `kind` last, nulls left out.
 */
import * as z from 'zod';
import type { Draft } from './draft.ts';
import type { Message } from './message.ts';

/** The schema of `source`: who caused an event. */
export const sourceSchema = z.enum(['agent', 'user', 'environment', 'hook']);
/** Who caused an event. */
export type Source = z.infer<typeof sourceSchema>;

/** The fields that every event begins with. */
const HEAD = {
  id: z.string().min(1),
  timestamp: z.string(),
  source: sourceSchema,
  parent_id: z.string().optional(),
};

type Schema<Kind extends string, Fields extends z.ZodRawShape> = z.ZodObject<
  typeof HEAD & Fields & { kind: z.ZodLiteral<Kind> }
>;
type EventFrom<Kind extends string, Fields extends z.ZodRawShape> = Readonly<
  z.infer<Schema<Kind, Fields>>
> & { readonly kind: Kind };

/** What `defineEventKind` is given. */
export interface EventKindDefinition<Kind extends string, Fields extends z.ZodRawShape> {
  /** The name in the field `kind`; in PascalCase, and unique in the program. */
  readonly kind: Kind;
  /** The schemas of its own fields, in the order on disk; called when an event of the kind is first checked. */
  readonly fields: () => Fields;
  /** Values of fields that are added when a stored event lacks them. */
  readonly defaults?: { readonly [field: string]: unknown };
  /** The message that stands for the event in the prompt; absent: the model does not see it. */
  toMessage?(event: EventFrom<Kind, Fields>): Message;
  /** The event in words, for people; may have several lines. Default: the name of the kind. */
  show?(event: EventFrom<Kind, Fields>): string;
}

/** A kind of event that has been defined. */
export interface EventKindOf<Kind extends string, Fields extends z.ZodRawShape>
  extends EventKindDefinition<Kind, Fields> {
  /** The schema of a whole event; the same object at each call. */
  schema(): Schema<Kind, Fields>;
  /** The event with the types of this kind; undefined if it is of another kind. */
  match(event: { readonly kind: string }): EventFrom<Kind, Fields> | undefined;
  /** An event to be appended with `Conversation.record`. Throws z.ZodError for fields that are not as they are defined. */
  draft(source: Source, fields: z.input<z.ZodObject<Fields>>): Draft;
}

/** Any kind of event, its types forgotten. */
export interface AnyEventKind {
  readonly kind: string;
  readonly defaults?: { readonly [field: string]: unknown };
  toMessage?(event: never): Message;
  show?(event: never): string;
  schema(): z.ZodObject;
}

const defined = new Map<string, AnyEventKind>();

/**
 * Defines a kind of event. From then on events of the kind are checked when they are read, stand in the prompt if it has
 * `toMessage`, and are shown and exported. Call it at module level, before a conversation is opened. Throws TypeError for a kind
 * that is defined already.
 */
export function defineEventKind<const Kind extends string, Fields extends z.ZodRawShape>(
  definition: EventKindDefinition<Kind, Fields>,
): EventKindOf<Kind, Fields> {
  const { kind, fields } = definition;
  if (defined.has(kind)) throw new TypeError(`the event kind ${kind} is defined already`);
  let schema: Schema<Kind, Fields> | undefined;
  const made: EventKindOf<Kind, Fields> = {
    ...definition,
    schema: () => {
      schema ??= z.object({ ...HEAD, ...fields(), kind: z.literal(kind) });
      return schema;
    },
    match: (event) => (event.kind === kind ? (event as EventFrom<Kind, Fields>) : undefined),
    draft: (source, values) =>
      // zod yields the fields in the order of the definition.
      ({ source, ...z.strictObject(fields()).parse(values), kind }) as unknown as Draft,
  };
  defined.set(kind, made as unknown as AnyEventKind);
  return made;
}

/** The kind of that name, if one is defined. */
export function eventKind(name: string): AnyEventKind | undefined {
  return defined.get(name);
}

/** All kinds that are defined, the engine's own among them. */
export function definedKinds(): readonly AnyEventKind[] {
  return [...defined.values()];
}

/** The schemas of foreign tools: what the model gets, and how arguments are checked. */
import { isRecord } from '../../value/is-record.ts';
import { InvalidArguments } from '../invalid-arguments.ts';
import { jsonSchemaInput } from '../json-schema-input.ts';
import { isZod3, zod3ToJsonSchema } from './zod3-schema.ts';

export type JsonSchema = { readonly [key: string]: unknown };

export interface ForeignSchema {
  readonly jsonSchema: JsonSchema;
  /** The arguments that the tool is called with: its own schema may add defaults and convert. Throws ToolError, or rejects with it. */
  check(args: object): unknown | Promise<unknown>;
}

/** <https://standardschema.dev>, with the JSON Schema that newer versions have. */
interface StandardSchema {
  readonly '~standard': {
    validate(value: unknown): StandardResult | Promise<StandardResult>;
    readonly jsonSchema?: { input(options: { target: string }): JsonSchema };
  };
}
type StandardResult = { readonly value: unknown } | { readonly issues: readonly Issue[] };
interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[];
}

/** `Schema` of the AI SDK. */
interface AiSdkSchema {
  readonly jsonSchema: JsonSchema | PromiseLike<JsonSchema>;
  validate?(value: unknown): AiSdkResult | PromiseLike<AiSdkResult>;
}
type AiSdkResult =
  | { readonly success: true; readonly value: unknown }
  | { readonly success: false; readonly error: Error };

const NO_PARAMETERS: JsonSchema = { type: 'object', properties: {}, additionalProperties: false };

/**
 * Reads a schema of zod 4 or 3, any Standard Schema with a JSON Schema, a schema of the AI SDK (also a lazy one), a record of zod
 * schemas by parameter, or a JSON Schema. Throws an Error for anything else.
 */
export async function foreignSchema(schema: unknown): Promise<ForeignSchema> {
  if (schema === undefined || schema === null) return await jsonOnly(NO_PARAMETERS);
  if (typeof schema === 'function' && !('~standard' in schema)) return await foreignSchema(schema());
  if (typeof schema !== 'object' && typeof schema !== 'function') throw new Error(UNKNOWN);
  if ('_zod' in schema || isZod3(schema) || '~standard' in schema) {
    return {
      jsonSchema: await jsonSchemaOf(schema),
      check: (args) => checkedBy(schema as StandardSchema, args),
    };
  }
  if ('jsonSchema' in schema) return await aiSdkSchema(schema as AiSdkSchema);
  const members = Object.values(schema);
  if (members.length > 0 && members.every(isZod)) return await foreignSchema(await objectOf(schema, members));
  if (!looksLikeJsonSchema(schema)) throw new Error(UNKNOWN);
  return await jsonOnly(schema as JsonSchema);
}

/**
 * Reads a JSON Schema that a framework made of the tool's own schema as it is once its defaults are filled in: it lists parameters with a
 * default as required, although the tool accepts calls without them.
 */
export async function filledSchema(schema: unknown): Promise<ForeignSchema> {
  const told = await foreignSchema(schema);
  const { required, properties } = told.jsonSchema;
  if (!Array.isArray(required) || !isRecord(properties)) return told;
  const needed = required.filter((name) => {
    const property = properties[String(name)];
    return !(isRecord(property) && 'default' in property);
  });
  const { check } = await jsonOnly({ ...told.jsonSchema, required: needed });
  return { jsonSchema: told.jsonSchema, check };
}

const UNKNOWN =
  'its parameters are no schema: zod 4 or 3, a Standard Schema with JSON Schema, a schema of the AI SDK, or a JSON Schema of an object';

function looksLikeJsonSchema(schema: object): boolean {
  return Object.keys(schema).length === 0 || KEYWORDS.some((keyword) => Object.hasOwn(schema, keyword));
}
const KEYWORDS = ['type', 'properties', '$schema', '$ref', 'anyOf', 'oneOf', 'allOf', 'additionalProperties'];

function isZod(member: unknown): boolean {
  return typeof member === 'object' && member !== null && ('_zod' in member || isZod3(member));
}

/** A record whose members are all of one zod version: zod does not mix versions. */
async function objectOf(shape: object, members: readonly object[]): Promise<unknown> {
  if (members.some(isZod3)) return (await import('zod/v3')).object(shape as never);
  return (await import('zod')).object(shape as never);
}

async function jsonSchemaOf(schema: object): Promise<JsonSchema> {
  if ('_zod' in schema) {
    const z = await import('zod');
    return z.toJSONSchema(schema as never, {
      io: 'input',
      reused: 'inline',
      unrepresentable: 'any',
    }) as JsonSchema;
  }
  if (isZod3(schema)) return zod3ToJsonSchema(schema);
  const { jsonSchema } = (schema as StandardSchema)['~standard'];
  if (jsonSchema === undefined) throw new Error(UNKNOWN);
  return jsonSchema.input({ target: 'draft-2020-12' });
}

function checkedBy(schema: StandardSchema, args: object): unknown | Promise<unknown> {
  const result = schema['~standard'].validate(args);
  return result instanceof Promise
    ? result.then((each) => acceptedValue(each, args))
    : acceptedValue(result, args);
}

function acceptedValue(result: StandardResult, args: object): unknown {
  if (!('issues' in result) || result.issues === undefined) return (result as { value: unknown }).value;
  throw new InvalidArguments(issuesOf(result.issues), args);
}

/** The faults that a schema found, in one line. */
export function issuesOf(issues: readonly Issue[]): string {
  const faults = issues.map(({ message, path = [] }) => {
    const where = path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.');
    return where === '' ? message : `${where}: ${message}`;
  });
  return faults.join('; ');
}

async function aiSdkSchema(schema: AiSdkSchema): Promise<ForeignSchema> {
  const plain = await jsonOnly(await schema.jsonSchema);
  if (schema.validate === undefined) return plain;
  const { validate } = schema;
  return {
    jsonSchema: plain.jsonSchema,
    check: async (args) => {
      const result = await validate(args);
      if (result.success) return result.value;
      throw new InvalidArguments(causeOf(result.error).message, args);
    },
  };
}

/** The AI SDK wraps the failure into an error that contains the values. */
function causeOf(error: Error): Error {
  return error.cause instanceof Error ? causeOf(error.cause) : error;
}

async function jsonOnly(schema: JsonSchema): Promise<ForeignSchema> {
  const input = await jsonSchemaInput(schema);
  return { jsonSchema: schema, check: (args) => input.parse(args) };
}

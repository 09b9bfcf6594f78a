/**
 * Converts a zod 3 schema to JSON Schema (zod 4 does that itself). What JSON Schema cannot express (refinements, transforms) is left to
 * the schema's own check.
 */
type JsonSchema = { readonly [key: string]: unknown };

export interface Zod3 {
  readonly _def: { readonly typeName: string; readonly [key: string]: unknown };
  readonly description?: string;
  isOptional(): boolean;
}

export function isZod3(schema: object): schema is Zod3 {
  const { _def: def } = schema as { _def?: { typeName?: unknown } };
  return typeof def?.typeName === 'string';
}

export function zod3ToJsonSchema(schema: Zod3): JsonSchema {
  const converted = CONVERTERS[schema._def.typeName]?.(schema._def) ?? {};
  return schema.description === undefined ? converted : { ...converted, description: schema.description };
}

type Def = Zod3['_def'];

const inner =
  (key: string) =>
  (def: Def): JsonSchema =>
    zod3ToJsonSchema(def[key] as Zod3);

const CONVERTERS: { readonly [typeName: string]: (def: Def) => JsonSchema } = {
  ZodObject: objectSchema,
  ZodString: () => ({ type: 'string' }),
  ZodNumber: ({ checks }) => ({
    type: (checks as { kind: string }[]).some(({ kind }) => kind === 'int') ? 'integer' : 'number',
  }),
  ZodBoolean: () => ({ type: 'boolean' }),
  ZodNull: () => ({ type: 'null' }),
  ZodEnum: ({ values }) => ({ type: 'string', enum: values }),
  ZodNativeEnum: ({ values }) => ({ enum: Object.values(values as object) }),
  ZodLiteral: ({ value }) => ({ const: value }),
  ZodArray: (def) => ({ type: 'array', items: zod3ToJsonSchema(def['type'] as Zod3) }),
  ZodTuple: ({ items }) => ({ type: 'array', prefixItems: (items as Zod3[]).map(zod3ToJsonSchema) }),
  ZodRecord: (def) => ({ type: 'object', additionalProperties: zod3ToJsonSchema(def['valueType'] as Zod3) }),
  ZodUnion: ({ options }) => ({ anyOf: (options as Zod3[]).map(zod3ToJsonSchema) }),
  ZodDiscriminatedUnion: ({ options }) => ({ anyOf: [...(options as Zod3[])].map(zod3ToJsonSchema) }),
  ZodIntersection: ({ left, right }) => ({ allOf: [left as Zod3, right as Zod3].map(zod3ToJsonSchema) }),
  ZodNullable: (def) => ({ anyOf: [inner('innerType')(def), { type: 'null' }] }),
  ZodDefault: (def) => ({ ...inner('innerType')(def), default: (def['defaultValue'] as () => unknown)() }),
  ZodOptional: inner('innerType'),
  ZodReadonly: inner('innerType'),
  ZodCatch: inner('innerType'),
  ZodBranded: inner('type'),
  ZodEffects: inner('schema'),
  ZodPipeline: inner('in'),
};

function objectSchema({ shape, unknownKeys }: Def): JsonSchema {
  const members = Object.entries((shape as () => { [name: string]: Zod3 })());
  const required = members.filter(([, member]) => !member.isOptional()).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, member]) => [name, zod3ToJsonSchema(member)])),
    ...(required.length === 0 ? {} : { required }),
    ...(unknownKeys === 'passthrough' ? {} : { additionalProperties: false }),
  };
}

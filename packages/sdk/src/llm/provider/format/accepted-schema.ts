/**
 * JSON Schemas as a provider accepts them. Gemini's are a subset of OpenAPI 3.0: it rejects unknown keywords and all but two formats.
 * Other providers accept JSON Schema.
 */

type Schema = { readonly [key: string]: unknown };

const GEMINI_KEYWORDS = new Set(
  'type description enum items properties required nullable anyOf minimum maximum minItems maxItems minLength maxLength pattern format title'.split(
    ' ',
  ),
);
const GEMINI_FORMATS = new Set(['enum', 'date-time']);

export function geminiSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(geminiSchema);
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept: { [key: string]: unknown } = {};
  for (const [key, value] of Object.entries(schema as Schema)) {
    if (key === 'const') kept['enum'] = [String(value)];
    else if (!GEMINI_KEYWORDS.has(key) || (key === 'format' && !GEMINI_FORMATS.has(String(value)))) continue;
    else if (key === 'properties') kept[key] = mapped(value as Schema);
    else kept[key] = key === 'enum' ? (value as unknown[]).map(String) : nested(key, value);
  }
  return kept;
}

function nested(key: string, value: unknown): unknown {
  return key === 'items' || key === 'anyOf' ? geminiSchema(value) : value;
}

function mapped(properties: Schema): Schema {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, geminiSchema(schema)]));
}

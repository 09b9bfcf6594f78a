import * as z from 'zod';
import type { ToolSchema } from '../llm/llm.ts';
import { isForeignInput, type Tool } from './tool.ts';

type JsonSchema = { readonly [key: string]: unknown };

/** The two parameters that every tool has besides its own; they come first, so that a truncated answer still contains them. */
const SECURITY_RISK: JsonSchema = {
  type: 'string',
  description: 'How risky this call is.',
  enum: ['LOW', 'MEDIUM', 'HIGH'],
};
const SUMMARY: JsonSchema = { type: 'string', description: 'What this call does, in about ten words.' };

/** How tools are described to a model. */
export interface SchemaForm {
  /** Whether short descriptions are enough for the model. */
  readonly brief?: boolean | undefined;
  /** Whether each call has to state its risk, because the confirmation policy depends on it. */
  readonly requiresRisk?: boolean | undefined;
}

const made = new WeakMap<Tool, ToolSchema>();

/** The description of a tool for the model. */
export function toolSchema(tool: Tool, { brief, requiresRisk }: SchemaForm = {}): ToolSchema {
  let schema = made.get(tool);
  if (schema === undefined) {
    schema = { name: tool.name, description: tool.description, parameters: parametersOf(tool) };
    made.set(tool, schema);
  }
  const { briefDescription } = tool;
  return {
    ...schema,
    ...(brief === true && briefDescription !== undefined ? { description: briefDescription } : {}),
    ...(requiresRisk === true && statesRisk(tool) ? { parameters: withRiskRequired(schema.parameters) } : {}),
  };
}

/** Whether our parameter for the risk is among those of the tool. */
function statesRisk(tool: Tool): boolean {
  return !tool.annotations.readOnlyHint && !declares(tool, 'security_risk');
}

function withRiskRequired(parameters: JsonSchema): JsonSchema {
  const required = (parameters['required'] ?? []) as readonly string[];
  return { ...parameters, required: [...required, 'security_risk'] };
}

/** The parameters that the model knows, by name; repairs are based on them. */
export function propertiesOf(tool: Tool): { readonly [name: string]: JsonSchema } {
  return toolSchema(tool).parameters['properties'] as { readonly [name: string]: JsonSchema };
}

/** Whether a parameter is declared by the tool itself, not one that every tool has. */
export function declares(tool: Pick<Tool, 'input'>, parameter: string): boolean {
  const own = isForeignInput(tool.input)
    ? (tool.input.jsonSchema['properties'] as object | undefined)
    : (tool.input as { shape?: object }).shape;
  return own !== undefined && Object.hasOwn(own, parameter);
}

/** The tool's own parameters in a form that every provider accepts; a foreign schema is passed on unchanged. */
export function ownParameters(tool: Tool): JsonSchema {
  if (isForeignInput(tool.input)) return tool.input.jsonSchema;
  return simplify(jsonSchemaOf(tool.name, tool.input)) as JsonSchema;
}

/** Throws an Error that names the tool for types that JSON Schema cannot express, such as a date or a function. */
function jsonSchemaOf(name: string, input: z.ZodType): unknown {
  try {
    return z.toJSONSchema(input, { io: 'input', reused: 'inline' });
  } catch (error) {
    const why = (error as Error).message;
    throw new Error(`the parameters of the tool "${name}" cannot be described to a model: ${why}`, {
      cause: error,
    });
  }
}

function parametersOf(tool: Tool): JsonSchema {
  const own = ownParameters(tool);
  const properties = (own['properties'] ?? {}) as JsonSchema;
  const required = own['required'] as readonly string[] | undefined;
  return {
    ...(isForeignInput(tool.input) ? own : {}),
    type: 'object',
    properties: {
      ...(statesRisk(tool) ? { security_risk: SECURITY_RISK } : {}),
      ...(declares(tool, 'summary') ? {} : { summary: SUMMARY }),
      ...properties,
    },
    ...(required === undefined || required.length === 0 ? {} : { required }),
  };
}

/** The keywords that every provider accepts; a union with null is reduced to its other member. */
const KEPT = new Set([
  'type',
  'description',
  'properties',
  'required',
  'items',
  'enum',
  'additionalProperties',
]);

function simplify(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  const { anyOf, ...rest } = schema as JsonSchema & { anyOf?: JsonSchema[] };
  const member = anyOf?.find((each) => each['type'] !== 'null');
  const whole: JsonSchema = member === undefined ? rest : { ...member, ...rest };
  const kept: { [key: string]: unknown } = {};
  for (const [key, value] of Object.entries(whole)) {
    if (!KEPT.has(key) || (key === 'additionalProperties' && typeof value === 'boolean')) continue;
    if (key === 'properties') {
      const entries = Object.entries(value as JsonSchema);
      kept[key] = Object.fromEntries(entries.map(([name, property]) => [name, simplify(property)]));
    } else {
      kept[key] = key === 'items' || key === 'additionalProperties' ? simplify(value) : value;
    }
  }
  return kept;
}

/** The descriptions of tools that may change: the same list for as long as the tools are the same. */
export function schemasOf(
  set: { readonly tools: readonly Tool[] },
  form: SchemaForm,
): () => readonly ToolSchema[] {
  let told: readonly Tool[] | undefined;
  let schemas: readonly ToolSchema[] = [];
  return () => {
    const { tools } = set;
    if (tools !== told) schemas = tools.map((tool) => toolSchema(tool, form));
    told = tools;
    return schemas;
  };
}

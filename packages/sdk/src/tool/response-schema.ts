/**
 * A structured answer: the parameter `response_schema` of a tool in an agent's specification adds its properties to those of
 * the tool. The model's values for them are stored as `structured_output` in the action; the tool itself does not see them.
 */
import { isRecord } from '../value/is-record.ts';
import { InvalidArguments } from './invalid-arguments.ts';
import { jsonSchemaInput } from './json-schema-input.ts';
import { withoutNulls } from './repair.ts';
import { type ForeignInput, isForeignInput, type Tool } from './tool.ts';
import { ownParameters } from './tool-schema.ts';
import { unknownNames, validInput } from './valid-input.ts';

type Schema = { readonly [key: string]: unknown };
type Arguments = { readonly [name: string]: unknown };

const RESERVED = ['kind', 'security_risk', 'structured_output', 'summary'];
const KEYWORDS = new Set([
  ...['$schema', '$defs', 'definitions', 'title', 'description'],
  ...['type', 'properties', 'required', 'additionalProperties'],
]);

/** A tool with the properties of a response schema added. Throws an Error that names the tool if the schema cannot be merged with its own. */
export async function withResponseSchema(tool: Tool, schema: unknown): Promise<Tool> {
  const own = ownParameters(tool);
  const fault =
    tool.wrapsInput === true ? 'its parameters have a schema that is not ours' : faultOf(schema, own);
  if (fault !== undefined) throw new Error(`response_schema of the tool "${tool.name}": ${fault}`);
  const response = schema as Schema;
  const structured = await jsonSchemaInput(response);
  const names = new Set(Object.keys(propertiesOf(response)));
  const keepsOwnNulls = isForeignInput(tool.input) && tool.input.keepsNulls === true;

  const jsonSchema = merged(own, response);
  const input: ForeignInput<Arguments> = {
    jsonSchema,
    keepsNulls: true,
    parse: (args) => {
      const unknown = unknownNames(args, Object.keys(propertiesOf(jsonSchema)));
      if (unknown !== undefined && !isForeignInput(tool.input)) throw new InvalidArguments(unknown, args);
      const [theirs, ours] = split(args, names);
      const checked = validInput(tool, keepsOwnNulls ? ours : withoutNulls(ours));
      return { ...checked, structured_output: accepted(structured, theirs) };
    },
  };
  return {
    ...tool,
    input,
    ...(tool.resources === undefined ? {} : { resources: (given) => tool.resources?.(ownOf(given)) ?? [] }),
    ...(tool.needsApproval === undefined
      ? {}
      : { needsApproval: (given, check) => tool.needsApproval?.(ownOf(given), check) ?? true }),
    ...(tool.show === undefined ? {} : { show: shownOf(tool.show) }),
    run: (given, context) => tool.run(ownOf(given), context),
  };
}

/** Accepts the values; a null that the schema does not allow counts as absent. */
function accepted(structured: ForeignInput<Arguments>, given: Arguments): Arguments {
  const said = withoutNulls(given);
  try {
    return structured.parse(given);
  } catch (error) {
    if (Object.keys(said).length === Object.keys(given).length) throw error;
    return structured.parse(said);
  }
}

/** Why the schema cannot be merged; undefined if it can. */
function faultOf(schema: unknown, own: Schema): string | undefined {
  if (!isRecord(schema) || schema['type'] !== 'object') return 'it must be a JSON Schema of type object';
  if (!isRecord(schema['properties']) || Object.keys(schema['properties']).length === 0) {
    return 'it must name its properties';
  }
  const unknown = Object.keys(schema).filter((key) => !KEYWORDS.has(key));
  if (unknown.length > 0) return `it may not have ${unknown.join(', ')} at its top`;
  if (![undefined, false].includes(schema['additionalProperties'] as never)) {
    return 'additionalProperties can only be false: each property needs a name';
  }
  const names = Object.keys(schema['properties']);
  const taken = names.filter((name) => RESERVED.includes(name) || Object.hasOwn(propertiesOf(own), name));
  if (taken.length > 0) return `${taken.join(', ')} is already the name of a parameter`;
  const required = schema['required'] ?? [];
  if (!Array.isArray(required)) return 'required must be a list of names';
  const nameless = required.filter((name) => !names.includes(name as string));
  if (nameless.length > 0) return `it requires ${nameless.join(', ')}, which it does not describe`;
  const twice = DEFINITIONS.flatMap((key) =>
    Object.keys(objectAt(schema, key)).filter((name) => Object.hasOwn(objectAt(own, key), name)),
  );
  return twice.length > 0 ? `${twice.join(', ')} is already defined by the tool` : undefined;
}

const DEFINITIONS = ['$defs', 'definitions'];

function merged(own: Schema, response: Schema): Schema {
  const required = [
    ...((own['required'] as string[] | undefined) ?? []),
    ...((response['required'] as string[] | undefined) ?? []),
  ];
  return {
    ...own,
    ...Object.fromEntries(
      DEFINITIONS.map((key) => [key, { ...objectAt(own, key), ...objectAt(response, key) }] as const).filter(
        ([, definitions]) => Object.keys(definitions).length > 0,
      ),
    ),
    type: 'object',
    properties: { ...propertiesOf(own), ...propertiesOf(response) },
    ...(required.length === 0 ? {} : { required }),
  };
}

function propertiesOf(schema: Schema): Schema {
  return objectAt(schema, 'properties');
}

function objectAt(schema: Schema, key: string): Schema {
  const value = schema[key];
  return isRecord(value) ? value : {};
}

function split(args: object, names: ReadonlySet<string>): readonly [theirs: Arguments, ours: Arguments] {
  const entries = Object.entries(args);
  const of = (isTheirs: boolean) =>
    Object.fromEntries(entries.filter(([name]) => names.has(name) === isTheirs));
  return [of(true), of(false)];
}

function ownOf(given: object): object {
  const { structured_output: _, ...own } = given as Arguments;
  return own;
}

function shownOf(show: NonNullable<Tool['show']>): NonNullable<Tool['show']> {
  return {
    ...show,
    ...(show.call === undefined ? {} : { call: (given: object) => show.call?.(ownOf(given)) ?? '' }),
  };
}

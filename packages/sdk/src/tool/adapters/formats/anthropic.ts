/** `betaZodTool()` and `betaTool()` of Anthropic's SDK (`@anthropic-ai/sdk` 1): `input_schema`, `run(input, context)` and `parse`. */
import { isRecord } from '../../../value/is-record.ts';
import { InvalidArguments } from '../../invalid-arguments.ts';
import { type ForeignSchema, foreignSchema, issuesOf } from '../foreign-schema.ts';
import { type Foreign, type Format, isFunction, stringOf } from '../format.ts';
import { resultOf } from '../result-content.ts';

export const anthropicFormat: Format = {
  label: "a tool of Anthropic's SDK: {name, input_schema, run}",
  matches: (tool) => isFunction(tool['run']) && isRecord(tool['input_schema']),
  read: async (tool) => {
    const { run, close } = tool;
    const name = stringOf(tool['name']);
    return {
      name,
      description: stringOf(tool['description']),
      schema: await schemaOf(tool),
      call: async (input, { id, args, signal }) => {
        const toolUse = { type: 'tool_use', id, name, input: args };
        try {
          return isFunction(run)
            ? await run.call(tool, input, { toolUse, toolUseBlock: toolUse, signal })
            : undefined;
        } catch (error) {
          if (isToolError(error)) return { [FAILED]: error.content };
          throw error;
        }
      },
      result: (value) =>
        isRecord(value) && FAILED in value
          ? { ...resultOf(value[FAILED as never]), is_error: true }
          : resultOf(value),
      ...(isFunction(close) ? { close: async () => void (await close.call(tool)) } : {}),
    };
  },
};

const FAILED = Symbol('the content of a ToolError');

/** An error that says with its content what the model gets. */
function isToolError(error: unknown): error is Error & { readonly content: unknown } {
  return error instanceof Error && error.name === 'ToolError' && 'content' in error;
}

/** `parse` checks and converts; that of `betaTool` does nothing, so its JSON Schema is the check. */
async function schemaOf({ input_schema: told, parse }: Foreign): Promise<ForeignSchema> {
  const { jsonSchema, check } = await foreignSchema(told);
  if (!isFunction(parse)) return { jsonSchema, check };
  return {
    jsonSchema,
    check: (args) => {
      const parsed = parsedBy(parse, args);
      return parsed === args ? check(args) : parsed;
    },
  };
}

function parsedBy(parse: (args: object) => unknown, args: object): unknown {
  try {
    return parse(args);
  } catch (error) {
    const { issues } = error as { readonly issues?: unknown };
    const faults = Array.isArray(issues) ? issuesOf(issues) : (error as Error).message;
    throw new InvalidArguments(faults, args);
  }
}

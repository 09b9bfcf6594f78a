/** A function with a schema: `{name, description, parameters, execute}`, or a bare function with options that describe it. */
import { foreignSchema } from '../foreign-schema.ts';
import { type Foreign, type Format, isFunction, stringOf } from '../format.ts';
import { signatureOf } from './signature.ts';

export const plainFunctionFormat: Format = {
  label:
    'a function with a zod or JSON Schema: {name, description, parameters, execute}, or a bare function with the options name, description and parameters',
  matches: (tool) => functionOf(tool) !== undefined && schemaOf(tool) !== undefined,
  read: async (tool, { signature, context }) => {
    const run = functionOf(tool);
    const takes = signature ?? (run === undefined ? 'params' : signatureOf(run));
    return {
      name: stringOf(tool['name']),
      description: stringOf(tool['description']),
      schema: await foreignSchema(schemaOf(tool)),
      call: (input, { id, args, signal }) =>
        takes === 'context-and-json'
          ? run?.call(tool, context, JSON.stringify(args))
          : run?.call(tool, input, { toolCallId: id, signal, abortSignal: signal, context }),
    };
  },
};

function schemaOf({ parameters, inputSchema, input, schema }: Foreign): unknown {
  return parameters ?? inputSchema ?? input ?? schema;
}

function functionOf({ execute, run, func }: Foreign) {
  return [execute, run, func].find(isFunction);
}

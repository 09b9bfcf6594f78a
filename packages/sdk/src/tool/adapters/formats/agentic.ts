/** `createAIFunction()` of `@agentic/core` 8: a function with `spec`, `inputSchema` and `execute`. Its sets are iterable. */
import { isRecord } from '../../../value/is-record.ts';
import { foreignSchema } from '../foreign-schema.ts';
import { type Format, isFunction, stringOf } from '../format.ts';

export const agenticFormat: Format = {
  label: 'a function of agentic: {spec: {name, description}, inputSchema, execute}',
  matches: ({ spec, execute }) => isRecord(spec) && isFunction(execute),
  read: async (tool) => {
    const { spec, inputSchema, execute } = tool;
    const { name, description, parameters } = isRecord(spec) ? spec : {};
    return {
      name: stringOf(name),
      description: stringOf(description),
      schema: await foreignSchema(inputSchema ?? parameters),
      call: (input) => (isFunction(execute) ? execute.call(tool, input) : undefined),
    };
  },
};

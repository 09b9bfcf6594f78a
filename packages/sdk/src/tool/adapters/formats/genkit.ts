/** `defineTool()` of Genkit 1: a function with `__action`. */
import { isRecord } from '../../../value/is-record.ts';
import { foreignSchema } from '../foreign-schema.ts';
import { type Format, isFunction, stringOf } from '../format.ts';

export const genkitFormat: Format = {
  label: 'a tool of Genkit: a function with __action {name, description, inputSchema}',
  matches: (tool) => isFunction(tool) && isRecord(tool['__action']),
  read: async (tool, { context }) => {
    const { __action: action } = tool;
    const { name, description, inputSchema, inputJsonSchema } = isRecord(action) ? action : {};
    return {
      name: stringOf(name),
      description: stringOf(description),
      schema: await foreignSchema(inputSchema ?? inputJsonSchema),
      call: async (input, { signal }) => {
        try {
          return isFunction(tool) ? await tool(input, { abortSignal: signal, context }) : undefined;
        } catch (error) {
          if (!(error instanceof Error) || error.name !== 'ToolInterruptError') throw error;
          throw new Error(
            'the tool interrupts to ask a person, which only Genkit can resume. It was not executed',
          );
        }
      },
    };
  },
};

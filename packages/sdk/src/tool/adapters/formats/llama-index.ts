/** `tool()` and `FunctionTool` of LlamaIndex (`@llamaindex/core` 0.6): `metadata` and `call(input)`. */
import { isRecord } from '../../../value/is-record.ts';
import { filledSchema } from '../foreign-schema.ts';
import { type Format, isFunction, stringOf } from '../format.ts';

export const llamaIndexFormat: Format = {
  label: 'a tool of LlamaIndex: {metadata: {name, description, parameters}, call}',
  matches: ({ metadata, call }) =>
    isFunction(call) && isRecord(metadata) && typeof metadata['name'] === 'string',
  read: async (tool) => {
    const { metadata, call } = tool;
    const { name, description, parameters } = isRecord(metadata) ? metadata : {};
    return {
      name: stringOf(name),
      description: stringOf(description),
      schema: await filledSchema(parameters),
      call: (_, { args }) => (isFunction(call) ? call.call(tool, args) : undefined),
    };
  },
};

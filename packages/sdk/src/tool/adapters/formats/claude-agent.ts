/** `tool(name, description, shape, handler)` of Anthropic's agent SDK: zod schemas by parameter, results as MCP has them. */
import { isRecord } from '../../../value/is-record.ts';
import { foreignSchema } from '../foreign-schema.ts';
import { type Format, isFunction, stringOf } from '../format.ts';

export const claudeAgentFormat: Format = {
  label: 'a tool of the Claude agent SDK: {name, inputSchema, handler}',
  matches: (tool) => isFunction(tool['handler']) && 'inputSchema' in tool && 'name' in tool,
  read: async (tool) => {
    const { handler, annotations } = tool;
    return {
      name: stringOf(tool['name']),
      description: stringOf(tool['description']),
      schema: await foreignSchema(tool['inputSchema']),
      ...(isRecord(annotations) ? { annotations } : {}),
      call: (input, { id, signal }) =>
        isFunction(handler) ? handler.call(tool, input, { signal, requestId: id }) : undefined,
    };
  },
};

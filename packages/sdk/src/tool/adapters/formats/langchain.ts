/** Tools of LangChain (`StructuredTool`, `tool()`): `lc_namespace`, or `name`, `schema` and `invoke`. */
import { isRecord } from '../../../value/is-record.ts';
import { foreignSchema } from '../foreign-schema.ts';
import { type Format, isFunction, stringOf } from '../format.ts';
import { contentOf, resultOf } from '../result-content.ts';

export const langChainFormat: Format = {
  label: 'a tool of LangChain: {name, schema, invoke}',
  matches: (tool) =>
    isFunction(tool['invoke']) &&
    tool['type'] !== 'function' &&
    (Array.isArray(tool['lc_namespace']) || ('schema' in tool && 'name' in tool)),
  read: async (tool) => {
    const { invoke, returnDirect } = tool;
    const name = stringOf(tool['name']);
    return {
      name,
      description: stringOf(tool['description']),
      schema: await foreignSchema(tool['schema']),
      ...(returnDirect === true ? { endsRun: true } : {}),
      // It checks and converts the arguments itself.
      call: (_, { id, args, signal }) =>
        isFunction(invoke) ? invoke.call(tool, toolCall(name, id, args), { signal }) : undefined,
      result: (value) => {
        if (!isRecord(value) || !('tool_call_id' in value)) return resultOf(value);
        return { content: contentOf(value['content']), is_error: value['status'] === 'error' };
      },
    };
  },
};

/**
 * LangChain mistakes plain arguments that look like a call for one, also inside a call; they are wrapped once more.
 */
function toolCall(name: string, id: string, args: object): object {
  const call = { name, args, id, type: 'tool_call' };
  return (args as { type?: unknown }).type === 'tool_call'
    ? { name, args: call, id, type: 'tool_call' }
    : call;
}

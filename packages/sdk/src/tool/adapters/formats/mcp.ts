/** Single tools from `listTools` of an MCP server, called through the client that listed them. Whole servers: see docs/tools/mcp.md. */
import { isRecord } from '../../../value/is-record.ts';
import { LONGEST_TIMER_MS } from '../../../value/longest-timer.ts';
import { foreignSchema } from '../foreign-schema.ts';
import { type Format, stringOf } from '../format.ts';
import { resultOf } from '../result-content.ts';

/** `Client` of `@modelcontextprotocol/client`; of the older `sdk`, `callTool: (params, options) => client.callTool(params, undefined, options)`. */
export interface McpCaller {
  callTool(
    params: { readonly name: string; readonly arguments: { [name: string]: unknown } },
    options: { readonly signal: AbortSignal; readonly timeout: number },
  ): Promise<unknown>;
}

export const mcpFormat: Format = {
  label: 'a tool that an MCP client lists: {name, inputSchema}, with the option client',
  matches: (tool, { client }) =>
    client !== undefined && typeof tool['name'] === 'string' && isRecord(tool['inputSchema']),
  read: async (tool, { client }) => {
    const name = stringOf(tool['name']);
    const { annotations, title } = tool;
    return {
      name,
      description: stringOf(tool['description']),
      schema: await foreignSchema(tool['inputSchema']),
      annotations: {
        ...(typeof title === 'string' ? { title } : {}),
        ...(isRecord(annotations) ? annotations : {}),
      },
      call: (_, { args, signal }) =>
        // Our own limit applies first.
        client?.callTool({ name, arguments: { ...args } }, { signal, timeout: LONGEST_TIMER_MS }),
      result: (value) => {
        // An MCP result may contain more than content.
        if (!isRecord(value)) return resultOf(value);
        const { content = [], isError, structuredContent } = value;
        return resultOf({ content, isError, structuredContent });
      },
    };
  },
};

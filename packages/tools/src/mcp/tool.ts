/** `mcp`: the tools of the MCP servers that an agent's specification names. See docs/tools/mcp.md. */

import {
  defineTool,
  jsonSchemaInput,
  type McpConfig,
  parseMcpConfig,
  type Tool,
  type ToolEnvironment,
  type ToolFactory,
  text,
} from '@longhand/sdk';
import { MCP_TOOLS, type McpServer } from '@longhand/sdk/internal';
import { defined, isRecord } from '@longhand/sdk/value';
import { BROWSER_SECTION } from '../browser/page-traits.ts';
import { type Json, type Listed, listed } from './list-tools.ts';
import { exposedNames } from './names.ts';
import { resultOf } from './result.ts';
import { CallFailed, ServerSession } from './server.ts';

const DEFAULT_MS = { connectMs: 30_000, callMs: 300_000, loginMs: 300_000 };

/**
 * A server that cannot be used causes a warning with its name; only its tools are missing. Params: `servers` by name,
 * `filter` (a pattern for the start of the names that are offered), and times in milliseconds.
 */
export const mcpTools: ToolFactory = {
  name: MCP_TOOLS,
  create: async (environment, params) => {
    if (environment.inert === true) return await describedTools(environment);
    const isOffered = startsWith(params['filter'] ?? '');
    const config = usable((params['servers'] ?? {}) as McpConfig, environment);
    const options = {
      workspace: environment.workspace,
      variables: process.env,
      onWarning: environment.onWarning,
      ...DEFAULT_MS,
      ...timesOf(params),
    };
    const sessions = Object.entries(config).map(([name, server]) => new ServerSession(name, server, options));
    environment.onClose?.(async () => {
      await Promise.all(sessions.map((session) => session.close()));
    });
    await Promise.all(sessions.map((session) => connected(session, environment)));
    const taken = new Set(await environment.taken);
    const maker = new Maker(environment);
    const all = () => maker.tools(sessions, { taken, isOffered });
    const tools = await all();
    let replaced = Promise.resolve();
    const replace = () => {
      replaced = replaced.then(async () => {
        try {
          environment.replaceTools?.(await all());
        } catch (error) {
          environment.onWarning(
            `the tools of MCP servers have changed, but cannot be used: ${(error as Error).message}`,
          );
        }
      });
      return replaced;
    };
    for (const session of sessions) session.onChange(replace);
    return tools;
  },
};

/** Configurations from base state or from programs may be invalid. */
function usable(servers: Json, { onWarning }: ToolEnvironment): McpConfig {
  const usable = Object.entries(servers).flatMap(([name, server]): [string, McpServer][] => {
    try {
      return Object.entries(parseMcpConfig({ mcpServers: { [name]: server } }));
    } catch (error) {
      onWarning(`${(error as Error).message}: it is left out`);
      return [];
    }
  });
  return Object.fromEntries(usable.filter(([, { enabled }]) => enabled !== false));
}

function timesOf(params: Json): Partial<typeof DEFAULT_MS> {
  const given = Object.keys(DEFAULT_MS).filter((key) => typeof params[key] === 'number');
  return Object.fromEntries(given.map((key) => [key, params[key]]));
}

async function connected(session: ServerSession, { onWarning }: ToolEnvironment): Promise<void> {
  try {
    await session.connect();
  } catch (error) {
    onWarning(`the MCP server "${session.name}" is left out: ${(error as Error).message}`);
  }
}

/** Throws TypeError for an invalid pattern: an invalid filter must not admit all tools. */
function startsWith(filter: unknown): (name: string) => boolean {
  try {
    const pattern = new RegExp(`^(?:${filter})`);
    return (name) => pattern.test(name);
  } catch (error) {
    throw new TypeError(`filter_tools_regex is not a valid pattern: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Makes tools from the lists of the servers; unchanged ones are the same objects as before. */
class Maker {
  readonly #environment: ToolEnvironment;
  #made = new Map<string, Tool>();

  constructor(environment: ToolEnvironment) {
    this.#environment = environment;
  }

  async tools(
    sessions: readonly ServerSession[],
    options: { readonly taken: ReadonlySet<string>; readonly isOffered: (name: string) => boolean },
  ): Promise<readonly Tool[]> {
    const found = sessions.flatMap((session) => session.tools.map((tool) => ({ session, tool })));
    const names = exposedNames(
      found.map(({ session, tool }) => ({ server: session.name, tool: tool.name })),
      { isAlone: sessions.length === 1, taken: options.taken },
    );
    const made = new Map<string, Tool>();
    for (const [i, { session, tool }] of found.entries()) {
      const name = names[i] ?? tool.name;
      if (!options.isOffered(name)) continue;
      const key = JSON.stringify([session.name, name, tool.raw]);
      made.set(key, this.#made.get(key) ?? (await this.#tool(name, session, tool)));
    }
    this.#made = made;
    return [...made.values()];
  }

  async #tool(name: string, session: ServerSession, listed: Listed): Promise<Tool> {
    const { files, vision } = this.#environment;
    const { readOnlyHint, idempotentHint } = listed.annotations;
    return await toolOf(name, listed, {
      resources: () => (readOnlyHint ? [] : [`mcp:${session.name}`]),
      run: async (input, { signal, onProgress }) => {
        const mask = (words: string) => session.mask(words);
        try {
          const isRepeatable = readOnlyHint || idempotentHint;
          const raw = await session.call(listed.name, input, { signal, onProgress, isRepeatable });
          return { ...resultOf(name, raw, { files, vision, mask }), tool_name: name };
        } catch (error) {
          if (!(error instanceof CallFailed)) throw error;
          return { content: [text(mask(error.message))], is_error: true, tool_name: name };
        }
      },
    });
  }
}

async function toolOf(
  name: string,
  { description, schema, inputSchema, annotations, raw }: Listed,
  how: Pick<Tool, 'run' | 'resources'>,
): Promise<Tool> {
  const { parse } = await jsonSchemaInput(inputSchema);
  return defineTool({
    name,
    kind: { tool: 'MCPToolDefinition', action: 'MCPToolAction', observation: 'MCPToolObservation' },
    description,
    input: { jsonSchema: schema, parse },
    wrapsInput: true,
    annotations,
    describe: { mcp_tool: { ...raw, name } },
    // Servers that drive a browser use these names.
    ...defined({ promptSection: name.startsWith('browser') ? BROWSER_SECTION : undefined }),
    ...how,
  });
}

/** The tools as a stored system prompt describes them; nothing is started or contacted. */
async function describedTools({ described = [] }: ToolEnvironment): Promise<readonly Tool[]> {
  const tools = described.flatMap(({ mcp_tool: raw }) => {
    const tool = isRecord(raw) ? listed(raw, () => undefined) : undefined;
    return tool === undefined ? [] : [tool];
  });
  return await Promise.all(
    tools.map((tool) =>
      toolOf(tool.name, tool, { run: () => Promise.reject(new Error('its server is not connected')) }),
    ),
  );
}

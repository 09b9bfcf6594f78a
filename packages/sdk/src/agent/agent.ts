import type { AgentContext } from '../context/agent-context.ts';
import { enabledServers, type McpConfig } from '../context/mcp-config.ts';
import type { LlmConfig } from '../llm/config/llm-config.ts';
import { defined } from '../value/defined.ts';
import type { CondenserSpec } from '../view/condensers/spec.ts';

/** How the agent decides: an immutable, serialisable specification. Everything it needs to take a step is here or in the view. */
export interface Agent {
  readonly llm: LlmConfig;
  /** Other models for other purposes (`condenser`, `delegate`, ...); whoever is not named here uses `llm`. */
  readonly llms?: { readonly [usageId: string]: LlmConfig };
  /** Names in the tool registry, with their parameters. */
  readonly tools: readonly ToolSpec[];
  /** How a long history is kept within the model's window; default: summaries. */
  readonly condenser?: CondenserSpec;
  /** The static part of the system prompt; default: ours. */
  readonly systemPrompt?: string;
  /** How many calls of one turn run side by side; absent: those that cannot disturb each other. */
  readonly toolConcurrency?: number;
  /** What it is told besides its prompt: skills, and words of the caller's. */
  readonly context?: AgentContext;
  /** MCP servers whose tools it has besides; those that are enabled are connected when a conversation is opened. */
  readonly mcpConfig?: McpConfig;
  /** Matched at the beginning of the names of MCP tools: only these are offered. */
  readonly filterToolsRegex?: string;
}

export interface ToolSpec {
  readonly name: string;
  readonly params: { readonly [key: string]: unknown };
}

/** The name under which the tools of MCP servers are registered. */
export const MCP_TOOLS = 'mcp';

/** All that are made for a conversation: the tools of MCP servers come last. */
export function toolSpecsOf({ tools, mcpConfig = {}, filterToolsRegex: filter }: Agent): readonly ToolSpec[] {
  const servers = enabledServers(mcpConfig);
  if (Object.keys(servers).length === 0 || tools.some(({ name }) => name === MCP_TOOLS)) return tools;
  return [...tools, { name: MCP_TOOLS, params: { servers, ...defined({ filter }) } }];
}

import type { AgentContext } from '../context/agent-context.ts';
import { enabledServers, type McpConfig } from '../context/mcp-config.ts';
import type { LlmConfig } from '../llm/config/llm-config.ts';
import { defined } from '../value/defined.ts';
import type { CondenserSpec } from '../view/condensers/spec.ts';

/** The specification of an agent: immutable and serialisable. Together with the view it holds everything that a step needs. */
export interface Agent {
  /** What the conversation calls it, in its tags and in exports; at most 256 characters. Default: `DEFAULT_AGENT_NAME`. */
  readonly name?: string;
  readonly llm: LlmConfig;
  /** Models for other purposes (`condenser`, `delegate`, ...). Default: `llm`. */
  readonly llms?: { readonly [usageId: string]: LlmConfig };
  /** Names in the tool registry, with their parameters. */
  readonly tools: readonly ToolSpec[];
  /** How a long history is kept within the model's context window. Default: summaries. */
  readonly condenser?: CondenserSpec;
  /** Replaces the static part of the system prompt. */
  readonly systemPrompt?: string;
  /** How many calls of one turn run in parallel. Default: those that cannot affect each other. */
  readonly toolConcurrency?: number;
  /** What it is told besides its prompt: skills, and texts of the caller. */
  readonly context?: AgentContext;
  /** MCP servers that provide further tools. Those that are enabled are connected when a conversation is opened. */
  readonly mcpConfig?: McpConfig;
  /** A regular expression for the beginning of the names of MCP tools: only tools that match are offered. */
  readonly filterToolsRegex?: string;
}

/** The name of an agent that is given none: that of V0's default agent. */
export const DEFAULT_AGENT_NAME = 'CodeActAgent';

export interface ToolSpec {
  readonly name: string;
  readonly params: { readonly [key: string]: unknown };
}

/** The name under which the tools of MCP servers are registered. */
export const MCP_TOOLS = 'mcp';

/** The tools that are created for a conversation; those of MCP servers come last. */
export function toolSpecsOf({ tools, mcpConfig = {}, filterToolsRegex: filter }: Agent): readonly ToolSpec[] {
  const servers = enabledServers(mcpConfig);
  if (Object.keys(servers).length === 0 || tools.some(({ name }) => name === MCP_TOOLS)) return tools;
  return [...tools, { name: MCP_TOOLS, params: { servers, ...defined({ filter }) } }];
}

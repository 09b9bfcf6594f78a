import type { AdaptOptions, Foreign, ForeignTool, Format } from './format.ts';
import { adkFormat } from './formats/adk.ts';
import { agenticFormat } from './formats/agentic.ts';
import { aiSdkFormat } from './formats/ai-sdk.ts';
import { anthropicFormat } from './formats/anthropic.ts';
import { claudeAgentFormat } from './formats/claude-agent.ts';
import { genkitFormat } from './formats/genkit.ts';
import { langChainFormat } from './formats/langchain.ts';
import { llamaIndexFormat } from './formats/llama-index.ts';
import { mastraFormat } from './formats/mastra.ts';
import { mcpFormat } from './formats/mcp.ts';
import { openAiAgentsFormat } from './formats/openai-agents.ts';
import { plainFunctionFormat } from './formats/plain-function.ts';
import { strandsFormat } from './formats/strands.ts';
import { refuseUnknownGates } from './gates.ts';

/** The formats; the first one that matches is used. */
const FORMATS: readonly Format[] = [
  langChainFormat,
  openAiAgentsFormat,
  claudeAgentFormat,
  mcpFormat,
  anthropicFormat,
  llamaIndexFormat,
  strandsFormat,
  genkitFormat,
  agenticFormat,
  adkFormat,
  mastraFormat,
  aiSdkFormat,
  plainFunctionFormat,
];

export interface ReadTool {
  readonly foreign: ForeignTool;
  /** Its original name. */
  readonly name: string;
}

/**
 * Reads a tool of another framework. Throws an Error that lists the formats if it has none of them, and one that names the tool if it
 * cannot run here.
 */
export async function readTool(given: object, options: AdaptOptions): Promise<ReadTool> {
  const { tool, format } = recognized(given, options);
  try {
    if (options.needsApproval === undefined) refuseUnknownGates(given as Foreign, format);
    const foreign = await format.read(tool, options);
    const name = options.name ?? foreign.name ?? '';
    if (name.trim() === '')
      throw new Error('it has no name: set the option name, or adapt the set that contains it');
    return { foreign, name };
  } catch (error) {
    const name = options.name ?? tool['name'] ?? tool['id'];
    const which = typeof name === 'string' && name.trim() !== '' ? `the tool "${name}"` : 'the tool';
    throw new Error(`${which} cannot be adapted: ${(error as Error).message}`, { cause: error });
  }
}

/** A tool may be a function with fields; a bare function is described by the options. */
function recognized(
  given: object,
  options: AdaptOptions,
): { readonly tool: Foreign; readonly format: Format } {
  const { description, parameters } = options;
  const isObject = (typeof given === 'object' && given !== null) || typeof given === 'function';
  const shapes =
    typeof given === 'function'
      ? [given, { name: given.name, description, parameters, execute: given }]
      : [given];
  for (const tool of shapes) {
    const format = isObject ? FORMATS.find((each) => each.matches(tool as Foreign, options)) : undefined;
    if (format !== undefined) return { tool: tool as Foreign, format };
  }
  throw new Error(unknownShape(options.name));
}

function unknownShape(name: string | undefined): string {
  const labels = FORMATS.map(({ label }) => `- ${label}`).join('\n');
  return `${name === undefined ? 'this' : `"${name}"`} is not a tool that can be adapted. It may be\n${labels}`;
}

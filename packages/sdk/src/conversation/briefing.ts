/** What the agent is told besides messages: its prompt, skills, and knowledge about the files that it works on. */
import { homedir } from 'node:os';
import type { Agent } from '../agent/agent.ts';
import { type Knowledge, openKnowledge } from '../context/knowledge.ts';
import type { Skill } from '../context/skill.ts';
import { joinParts } from '../context/system-prompt.ts';
import { type TextContent, text } from '../event/content.ts';
import type { Draft } from '../event/draft.ts';
import type { ActionEvent, Observation } from '../event/kinds.ts';
import { describeTool } from '../tool/describe.ts';
import { type Tool, ToolError } from '../tool/tool.ts';
import type { ToolSet } from '../tool/tool-set.ts';
import { askTrait } from '../tool/traits.ts';
import { userFolder } from '../value/user-folder.ts';
import type { View } from '../view/view.ts';
import { openLocalWorkspace } from '../workspace/local-workspace.ts';
import type { OpenOptions, RecordingOptions } from './open-options.ts';
import { STATE_KEYS, stateUpdate } from './state/state.ts';

/** The knowledge to which a specification's context leads. */
export function knowledgeOf(
  { workspace, onWarning }: Pick<OpenOptions, 'workspace'> & Pick<RecordingOptions, 'onWarning'>,
  { context = {}, llm }: Pick<Agent, 'context' | 'llm'>,
): Knowledge {
  const path = homedir();
  return openKnowledge({
    workspace,
    context,
    model: llm.capabilities?.canonicalName ?? llm.model,
    warn: (text) => onWarning?.(text),
    ...(context.loadUserSkills === true
      ? { home: { path, own: userFolder('config'), files: openLocalWorkspace(path) } }
      : {}),
  });
}

export async function systemPrompt(
  agent: Agent,
  { tools }: ToolSet,
  knowledge: Knowledge,
  nowMs: number,
): Promise<Draft> {
  return {
    source: 'agent',
    system_prompt: text(agent.systemPrompt ?? joinParts(await knowledge.staticPrompt(tools))),
    tools: tools.map(describeTool),
    dynamic_context: text(joinParts(await knowledge.dynamicContext(nowMs))),
    kind: 'SystemPromptEvent',
  };
}

/** A result with knowledge about its files added, except what was `told` before. */
export async function withFileKnowledge(
  action: ActionEvent,
  result: Draft,
  { knowledge, tools }: { readonly knowledge: Knowledge; readonly tools: Pick<ToolSet, 'get'> },
  told: readonly string[],
): Promise<readonly Draft[]> {
  if (result.kind !== 'ObservationEvent') return [result];
  const names: string[] = [];
  const content: TextContent[] = [];
  for (const path of filesOf(action, result.observation, tools.get(action.tool_name))) {
    const known = await knowledge.forPath(path, new Set([...told, ...names]));
    names.push(...known.names);
    content.push(...known.content);
  }
  if (names.length === 0) return [result];
  const enriched = { ...result, extended_content: [...(result.extended_content ?? []), ...content] };
  return [enriched, stateUpdate(STATE_KEYS.pathRules, [...told, ...names])];
}

/** The files that the tool names; without that trait, the one in the arguments. */
function filesOf(
  { action }: ActionEvent,
  observation: Observation,
  tool: Tool | undefined,
): readonly string[] {
  if (tool?.touchedPaths !== undefined) return askTrait(() => tool.touchedPaths?.(observation)) ?? [];
  const path = action?.['path'] ?? action?.['file_path'];
  return typeof path === 'string' ? [path] : [];
}

/**
 * Adds the MCP servers of skills to a specification; servers that it names itself take precedence. Skills of the project start no servers,
 * unless the specification names them: a folder must not start programs unasked.
 */
export async function withServersOfSkills(
  agent: Agent,
  knowledge: Knowledge,
  warn: (text: string) => void,
): Promise<Agent> {
  if (agent.context?.startServers === false) return agent;
  const own = agent.mcpConfig ?? {};
  const bringers = (await knowledge.bringers?.()) ?? [];
  const started = bringers.filter(({ skill, mcpServers, isOfProject }) => {
    const unknown = Object.keys(mcpServers).filter((name) => !(name in own));
    if (isOfProject && unknown.length > 0)
      warn(
        `the MCP servers of the skill ${skill.source ?? skill.name} are not started (${unknown.join(', ')}): they belong to the project`,
      );
    return !isOfProject && unknown.length > 0;
  });
  if (started.length === 0) return agent;
  const brought = started.map(({ mcpServers }) => mcpServers).toReversed();
  return { ...agent, mcpConfig: Object.assign({}, ...brought, own) };
}

/** Throws ToolError that lists the available names. */
export async function skillNamed(name: string, knowledge: Knowledge): Promise<Skill> {
  const offered = await knowledge.offered();
  const found = offered.find((skill) => skill.name === name);
  if (found !== undefined) return found;
  const names = offered.map((skill) => skill.name).join(', ');
  throw new ToolError(`There is no skill "${name}". Available skills: ${names || 'none'}.`);
}

/** The images of the user's latest message that has any. */
export function latestImages(view: View): readonly string[] {
  const images = view.events.flatMap((event) =>
    event.kind === 'MessageEvent' && event.source === 'user'
      ? [event.llm_message.content.flatMap((block) => (block.type === 'image' ? block.image_urls : []))]
      : [],
  );
  return images.findLast((each) => each.length > 0) ?? [];
}

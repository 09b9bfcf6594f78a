/**
 * A conversation as the reference's SDK can open and continue it, whatever tools it used. The reference reads only the kinds of tools that
 * its process has loaded, and refuses a folder with any other. Those are stored as tools of an MCP server, which every process knows:
 * `MCPToolAction`, `MCPToolObservation`, `MCPToolDefinition`.
 *
 * Checked against openhands-sdk 1.57.0 with its default tools.
 */
import { type Content, text } from '../event/content.ts';
import type { Action, Event, Observation, ToolDescription } from '../event/kinds.ts';
import { type RenderObservation, renderContent } from '../event/projection.ts';
import { isRecord } from '../value/is-record.ts';
import { ownValue } from '../value/own-value.ts';

/** The tools that every process of the reference has: its built-in ones, and those of its default agent. */
const KNOWN = ['Finish', 'Think', 'InvokeSkill', 'SwitchLLM', 'Terminal', 'FileEditor', 'TaskTracker'];
const MCP = {
  tool: 'MCPToolDefinition',
  action: 'MCPToolAction',
  observation: 'MCPToolObservation',
} as const;

const TOOLS = new Set([...KNOWN.map((each) => `${each}Tool`), MCP.tool]);
const ACTIONS = new Set([...KNOWN.map((each) => `${each}Action`), MCP.action]);
const OBSERVATIONS = new Set([...KNOWN.map((each) => `${each}Observation`), MCP.observation]);

/** Our names of tools that the reference can give its agent, with its own. Their params are not carried over: they differ. */
const NAMES: { readonly [name: string]: string } = {
  ...{ terminal: 'terminal', file_editor: 'file_editor', task_tracker: 'task_tracker' },
  ...{ execute_bash: 'terminal', str_replace_editor: 'file_editor' },
  ...{ finish: 'finish', think: 'think' },
};

/** The event with tools that the reference knows; the same object if it has no others. */
export function eventForReference(event: Event, render: RenderObservation): Event {
  switch (event.kind) {
    case 'SystemPromptEvent':
      return { ...event, tools: event.tools.map(toolForReference) };
    case 'ActionEvent': {
      if (event.action === undefined || ACTIONS.has(event.action.kind)) return event;
      return { ...event, action: { data: argumentsOf(event.action), kind: MCP.action } };
    }
    case 'ObservationEvent': {
      const { observation, tool_name } = event;
      if (OBSERVATIONS.has(observation.kind)) return event;
      const content = contentOf(observation, render) as Observation['content'];
      const is_error = observation.is_error === true;
      return { ...event, observation: { content, is_error, tool_name, kind: MCP.observation } };
    }
    default:
      return event;
  }
}

function toolForReference(tool: ToolDescription): ToolDescription {
  if (TOOLS.has(tool.kind)) return tool;
  const { description, annotations, title } = tool;
  return {
    description,
    action_type: MCP.action,
    observation_type: MCP.observation,
    annotations,
    mcp_tool: { name: title, description, inputSchema: { type: 'object' } },
    kind: MCP.tool,
    title,
  };
}

/** Actions of adapted tools have their arguments in `data` already. */
function argumentsOf({ kind: _, ...fields }: Action): object {
  const { data } = fields;
  return Object.keys(fields).length === 1 && isRecord(data) ? data : fields;
}

/**
 * What the model sees of an observation; the reference adds the header of an error itself. If the tool that could show it is not here, its
 * fields as JSON.
 */
function contentOf(observation: Observation, render: RenderObservation): readonly Content[] {
  const shown = render(observation);
  const [header] = renderContent({ ...observation, content: [], is_error: true });
  const [first, ...rest] = shown;
  const isHeader = observation.is_error === true && isSameText(first, header);
  const content = isHeader ? rest : shown;
  if (content.length > 0) return content;
  const { content: _, is_error: __, kind: ___, ...fields } = observation;
  return [text(JSON.stringify(fields))];
}

function isSameText(a: Content | undefined, b: Content | undefined): boolean {
  return a?.type === 'text' && b?.type === 'text' && a.text === b.text;
}

/**
 * `base_state.json` with tools that the reference can give its agent. Those of ours are kept for this program in
 * `agent_state.longhand.tools`. Throws SyntaxError for text that is not JSON.
 */
export function baseStateForReference(source: string): string {
  const state: unknown = JSON.parse(source);
  if (!isRecord(state) || !isRecord(state['agent'])) return source;
  const { agent, agent_state: kept } = state;
  const tools: unknown = agent['tools'];
  if (!Array.isArray(tools)) return source;
  const known = new Map(tools.flatMap((tool) => asKnown(tool)));
  const ours = isRecord(kept) && isRecord(kept['longhand']) ? kept['longhand'] : {};
  const own = { ...(isRecord(kept) ? kept : {}), longhand: { ...ours, tools } };
  return JSON.stringify({ ...state, agent: { ...agent, tools: [...known.values()] }, agent_state: own });
}

function asKnown(tool: unknown): readonly (readonly [string, object])[] {
  if (!isRecord(tool) || typeof tool['name'] !== 'string') return [];
  const name = ownValue(NAMES, tool['name']);
  return name === undefined ? [] : [[name, { name, params: {} }]];
}

/**
 * Runs a recorded conversation again. The model's answers, the tools' results, the user's messages, ids and times come from the record;
 * network and workspace are not touched. The engine must produce the same events.
 */

import type { Agent } from '../../agent/agent.ts';
import type { Event, ToolDescription } from '../../event/kinds.ts';
import { type RecordedExchange, ReplayMismatch } from '../../llm/playback/cassette.ts';
import type { ToolFactory } from '../../tool/tool.ts';
import type { Difference } from '../../value/difference.ts';
import { isRecord } from '../../value/is-record.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { Conversation } from '../conversation.ts';
import type { RecordedRequests } from '../store/request-record.ts';
import { recordedTools } from './recorded-tools.ts';
import { ReplayScript } from './replay-script.ts';

export interface ReplaySource {
  readonly id: string;
  /** The active branch, from its root. */
  readonly events: readonly Event[];
  readonly agent: Agent;
  readonly workingDir: string;
  /** Events of the log that are not replayed. */
  readonly omitted?: Omitted;
  /** What is on record of the requests; compared if the replay is strict. */
  readonly requests?: RecordedRequests;
  /** The requests of a cassette; they are compared too. */
  readonly exchanges?: readonly RecordedExchange[];
}

/** Numbers of events that a replay leaves out. */
export interface Omitted {
  /** State updates: bookkeeping, which follows from the other events. */
  readonly bookkeeping: number;
  /** Events of branches that are not active. */
  readonly otherBranches: number;
}

export interface ReplayOptions {
  readonly tools: readonly ToolFactory[];
  /** Compares events byte for byte, and the messages of requests that are on record. Otherwise ids, times and the system prompt may differ. */
  readonly strict: boolean;
}

/** What a replay found: how far it came, and the first difference. */
export interface ReplayReport {
  /** Events that were reproduced as recorded. */
  readonly reproduced: number;
  readonly recorded: number;
  readonly difference?: Difference & { readonly event: number };
}

/** Runs a recorded conversation again, from its record instead of models and tools, and compares every event. */
export async function replay(source: ReplaySource, options: ReplayOptions): Promise<ReplayReport> {
  const script = new ReplayScript(source, options.strict);
  const workspace = untouchable(source);
  const described = [...describedTools(source.events), ...addedTools(source.events)];
  const environment = { ...ENVIRONMENT, workspace, described };
  const own = await recordedTools(source.agent, source.events, options.tools, environment);
  const conversation = await Conversation.open({
    agent: source.agent,
    place: { id: source.id },
    model: { llm: script.llm },
    tools: [...options.tools.map((factory) => withoutEffects(factory, described)), ...own],
    workspace,
    oversight: { autoContinue: script.autoContinue },
    standIns: {
      clock: script.clock,
      reword: (draft) => script.reword(draft),
      execute: (action, options) => script.resultOf(action, options),
      condenser: script.condenser,
      knowledge: script.knowledge,
      onlookers: script.onlookers,
      toolChange: script.toolChange,
      tellsTurnsLeft: script.tellsTurnsLeft,
    },
    // The limits of each run are in the record, as what followed from them.
    limits: { stuckDetection: true, maxIterations: Number.MAX_SAFE_INTEGER },
  });
  try {
    await script.drive(conversation);
  } finally {
    await conversation.close();
  }
  return script.report();
}

const ENVIRONMENT = { files: null, vision: true, onWarning: () => undefined, inert: true };

/** The tools describe themselves and check arguments; they are never run. */
function withoutEffects(factory: ToolFactory, described: readonly ToolDescription[]): ToolFactory {
  return {
    name: factory.name,
    create: async (environment, params) =>
      (await factory.create({ ...environment, inert: true, described }, params)).map((tool) => {
        const { prepare: _, ...rest } = tool;
        return { ...rest, run: () => Promise.reject(new ReplayMismatch(`${tool.name} was about to run`)) };
      }),
  };
}

/** The descriptions of the tools in a conversation's system prompt. */
export function describedTools(events: Iterable<Event>): readonly ToolDescription[] {
  for (const event of events) if (event.kind === 'SystemPromptEvent') return event.tools;
  return [];
}

/** The tools of MCP servers that were called, but that the system prompt does not describe: they were added later. */
function addedTools(events: Iterable<Event>): readonly ToolDescription[] {
  const all = [...events];
  const names = new Set(
    all.flatMap((event) =>
      event.kind === 'ActionEvent' && event.action?.kind === 'MCPToolAction' ? [event.tool_name] : [],
    ),
  );
  for (const { mcp_tool: raw } of describedTools(all)) if (isRecord(raw)) names.delete(String(raw['name']));
  return [...names].map((name) => ({
    description: '',
    annotations: {},
    mcp_tool: { name, inputSchema: { type: 'object' } },
    kind: 'MCPToolDefinition',
    title: name,
  }));
}

/** A workspace that has the recorded name, and rejects every access. */
function untouchable({ workingDir }: ReplaySource): Workspace {
  const refuse = () => Promise.reject(new ReplayMismatch('the workspace was about to be touched'));
  return {
    root: workingDir,
    // What the agent was told about the platform is part of the recorded prompt.
    platform: process.platform,
    spawn: refuse,
    readFile: refuse,
    writeFile: refuse,
    stat: refuse,
    list: refuse,
    which: refuse,
    remove: refuse,
    rename: refuse,
    makeDirectory: refuse,
    realPath: refuse,
    close: async () => undefined,
  };
}

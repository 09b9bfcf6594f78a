/**
 * Drives a conversation again from what is on record of it: the model's answers and the tools' results come from the log,
 * as do the user's words, ids and times. Neither network nor workspace is touched. What the engine makes of them must be
 * the same events again.
 */
import type { Agent } from '../../agent/agent.ts';
import type { Event, ToolDescription } from '../../event/kinds.ts';
import { type RecordedExchange, ReplayMismatch } from '../../llm/playback/cassette.ts';
import type { ToolFactory } from '../../tool/tool.ts';
import type { Difference } from '../../value/difference.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { Conversation } from '../conversation.ts';
import { isToldOfLimit } from './replay-record.ts';
import { ReplayScript } from './replay-script.ts';

export interface ReplaySource {
  readonly id: string;
  /** The active branch, from its root. */
  readonly events: readonly Event[];
  readonly agent: Agent;
  readonly workingDir: string;
  readonly maxIterations?: number;
  /** Of a cassette: the requests are compared as well. */
  readonly exchanges?: readonly RecordedExchange[];
}

export interface ReplayOptions {
  readonly tools: readonly ToolFactory[];
  /** Byte for byte; otherwise ids, times and the system prompt may be others. */
  readonly strict: boolean;
}

/** What a replay found: how far it came, and the first difference. */
export interface ReplayReport {
  /** Events that came out as recorded. */
  readonly reproduced: number;
  readonly recorded: number;
  readonly difference?: Difference & { readonly event: number };
}

/** Runs a recorded conversation again, from its record instead of models and tools, and compares every event. */
export async function replay(source: ReplaySource, options: ReplayOptions): Promise<ReplayReport> {
  const script = new ReplayScript(source, options.strict);
  const conversation = await Conversation.open({
    agent: source.agent,
    place: { id: source.id },
    model: { llm: script.llm },
    tools: options.tools.map((factory) => withoutEffects(factory, describedTools(source.events))),
    workspace: untouchable(source),
    oversight: { autoContinue: script.autoContinue },
    standIns: {
      clock: script.clock,
      reword: (draft) => script.reword(draft),
      execute: (action, options) => script.resultOf(action, options),
      condenser: script.condenser,
      knowledge: script.knowledge,
      onlookers: script.onlookers,
    },
    limits: { stuckDetection: true, maxIterations: limitOf(source) },
  });
  try {
    await script.drive(conversation);
  } finally {
    await conversation.close();
  }
  return script.report();
}

/**
 * On record is the limit of the last run, and others may have had another. That it was reached stands in the log; it matters
 * where the agent was told of it.
 */
function limitOf({ events, maxIterations }: ReplaySource): number | undefined {
  return isToldOfLimit(events) ? maxIterations : Number.MAX_SAFE_INTEGER;
}

/** The tools are there to be described and to check their arguments; nothing of them is run. */
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

/** What the system prompt of a conversation says of its tools. */
export function describedTools(events: Iterable<Event>): readonly ToolDescription[] {
  for (const event of events) if (event.kind === 'SystemPromptEvent') return event.tools;
  return [];
}

/** Has the recorded name and nothing behind it. */
function untouchable({ workingDir, events }: ReplaySource): Workspace {
  const prompt = events.find((event) => event.kind === 'SystemPromptEvent');
  const context = prompt?.kind === 'SystemPromptEvent' ? (prompt.dynamic_context?.text ?? '') : '';
  const platform = (/^Platform: (\w+)$/m.exec(context)?.[1] ?? process.platform) as NodeJS.Platform;
  const refuse = () => Promise.reject(new ReplayMismatch('the workspace was about to be touched'));
  return {
    root: workingDir,
    platform,
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

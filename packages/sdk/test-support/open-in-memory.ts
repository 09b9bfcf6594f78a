/** A conversation in memory, with a scripted model and two tools: for tests that need no disk. */
import type { TestContext } from 'node:test';
import * as z from 'zod';
import { Conversation } from '../src/conversation/conversation.ts';
import type { OpenOptions } from '../src/conversation/open-options.ts';
import type { Event } from '../src/event/kinds.ts';
import type { LLM } from '../src/llm/llm.ts';
import { type ScriptedTurn, scriptedLlm } from '../src/llm/playback/scripted-llm.ts';
import { defineTool } from '../src/tool/define-tool.ts';
import type { Workspace } from '../src/workspace/workspace.ts';

const run = ({ words }: { words: string }) => words;
const input = z.object({ words: z.string() });
const echo = defineTool({ name: 'echo', description: 'd', input, run });
const finish = defineTool({ name: 'finish', description: 'd', input, run, endsRun: true });

/** A call of `echo`, which returns its words, or of `finish`, which ends the run with them. */
export const call = (words: string, name: 'echo' | 'finish' = 'echo') => ({ name, arguments: { words } });

const NOTHING_KNOWN = {
  staticPrompt: async () => [],
  dynamicContext: async () => [],
  forMessage: async () => ({ names: [], content: [] }),
  offered: async () => [],
  forPath: async () => ({ names: [], content: [] }),
};

/** Options of a conversation in memory. */
export function inMemory(
  turns: readonly ScriptedTurn[] | LLM,
  { standIns, ...more }: Partial<OpenOptions> = {},
): OpenOptions {
  const workspace: Partial<Workspace> = { root: '/', platform: 'linux', close: async () => undefined };
  return {
    agent: {
      llm: { model: 'm' },
      tools: ['echo', 'finish'].map((name) => ({ name, params: {} })),
      systemPrompt: 's',
    },
    tools: [echo, finish],
    workspace: workspace as Workspace,
    model: { llm: 'complete' in turns ? turns : scriptedLlm({ turns }) },
    ...more,
    standIns: { knowledge: NOTHING_KNOWN, ...standIns },
  };
}

/** The conversation, which is closed after the test, and its events so far. */
export async function openInMemory(
  t: TestContext,
  turns: readonly ScriptedTurn[] | LLM,
  more: Partial<OpenOptions> = {},
) {
  const conversation = await Conversation.open(inMemory(turns, more));
  t.after(() => conversation.close());
  const log = () => [...conversation.log.read()].map(([, event]) => event);
  return { conversation, log };
}

/** The statuses that events report, in order. */
export function statusesIn(events: readonly Event[]): readonly unknown[] {
  return events.flatMap((event) =>
    event.kind === 'ConversationStateUpdateEvent' && event.key === 'execution_status' ? [event.value] : [],
  );
}

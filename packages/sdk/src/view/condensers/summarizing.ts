import { text, textOf } from '../../event/content.ts';
import type { Message } from '../../event/message.ts';
import { defineCondenser } from './condenser-kind.ts';
import { renderEvent } from './render-event.ts';
import { type Cut, type Replacement, ROLLING_MEMBERS, type Rolling, rolling } from './rolling.ts';

const MAX_EVENT_LENGTH = 10_000;

/** Puts a summary in the place of the middle; summaries that were made before go into the new one whole. */
export interface SummarizingSpec extends Rolling {
  readonly type: 'llm';
}

export const summarizing = defineCondenser<SummarizingSpec>({
  ...ROLLING_MEMBERS,
  create: (spec) =>
    rolling(spec, async (cut, { llm, signal }): Promise<Replacement | null> => {
      const model = await llm();
      const prompt = { messages: [asking(cut, spec)], tools: [] };
      const { id, message } = await model.complete(prompt, { signal });
      const summary = textOf(message.content).trim();
      return summary === '' ? null : { summary, responseId: id };
    }),
});

/** Long ones in the middle, for what matters stands at the beginning or at the end. Earlier summaries stay whole. */
export function eventBlocks({ forgotten }: Cut, { maxEventLength = MAX_EVENT_LENGTH }: Rolling): string {
  return forgotten
    .map((event) => {
      const words = renderEvent(event);
      const isWhole = event.kind === 'CondensationSummaryEvent' || words.length <= maxEventLength;
      const half = Math.floor(maxEventLength / 2);
      return `<EVENT>\n${isWhole ? words : `${words.slice(0, half)}\n[...]\n${words.slice(-half)}`}\n</EVENT>`;
    })
    .join('\n');
}

function asking(cut: Cut, spec: Rolling): Message {
  return {
    role: 'user',
    content: [text(`${INSTRUCTIONS}\n\n${eventBlocks(cut, spec)}\n\nWrite the summary now.`)],
  };
}

const INSTRUCTIONS = `An agent's work on a task has grown too long to be read whole. The events below will be taken out, and only your summary will stand in their place: whatever you leave out is lost to the agent. Keep it short, and keep what the work depends on.

Write it under these heads, leaving out those that have nothing:
USER: what the user wants, with every requirement, limit and wish, in their own words where these matter.
TASKS: the task list with ids and status, exactly as it stands.
DONE: what has been done, and what came of it, with names and numbers.
PENDING: what is still to be done, in order.
STATE: where things stand now: files with their paths, variables, running programs, the error that is being looked into.
CODE: functions, types and data that were added or changed, and how they fit together.
TESTS: which tests there are, which pass, which fail, with their messages.
CHANGES: what was changed in which file.
DEPENDENCIES: what was installed or configured.
VERSION CONTROL: branch, commits, what is not committed.

Earlier summaries among the events are all that is left of what they stand for: carry over what still matters.`;

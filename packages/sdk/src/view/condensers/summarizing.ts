import { text, textOf } from '../../event/content.ts';
import type { Message } from '../../event/message.ts';
import { headOf, tailOf } from '../../value/cut.ts';
import { defineCondenser } from './condenser-kind.ts';
import { renderEvent } from './render-event.ts';
import { type Cut, type Replacement, ROLLING_MEMBERS, type Rolling, rolling } from './rolling.ts';

const MAX_EVENT_LENGTH = 10_000;

/** Replaces the middle by a summary that a model writes. Earlier summaries are passed to it in full. */
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

/** The forgotten events as text. Long ones are cut in the middle, because the ends matter most; earlier summaries stay whole. */
export function eventBlocks({ forgotten }: Cut, { maxEventLength = MAX_EVENT_LENGTH }: Rolling): string {
  return forgotten
    .map((event) => {
      const words = renderEvent(event);
      const isWhole = event.kind === 'CondensationSummaryEvent' || words.length <= maxEventLength;
      const half = Math.floor(maxEventLength / 2);
      return `<EVENT>\n${isWhole ? words : `${headOf(words, half)}\n[...]\n${tailOf(words, half)}`}\n</EVENT>`;
    })
    .join('\n');
}

function asking(cut: Cut, spec: Rolling): Message {
  return {
    role: 'user',
    content: [text(`${INSTRUCTIONS}\n\n${eventBlocks(cut, spec)}\n\nWrite the summary now.`)],
  };
}

const INSTRUCTIONS = `The history of an agent's work on a task has become too long. The events below will be replaced by your summary. The agent loses everything that you leave out. Keep the summary short, and include everything that the work depends on.

Use these headings, and omit those that would be empty:
USER: what the user wants, with every requirement, limit and wish, in their own words where the wording matters.
TASKS: the task list with ids and statuses, copied exactly.
DONE: what has been done and with which results, with names and numbers.
PENDING: what remains to be done, in order.
STATE: the current state: files with their paths, variables, running programs, the error under investigation.
CODE: functions, types and data that were added or changed, and how they fit together.
TESTS: which tests exist, which pass, which fail, with their messages.
CHANGES: what was changed in which file.
DEPENDENCIES: what was installed or configured.
VERSION CONTROL: branch, commits, uncommitted changes.

Earlier summaries among the events are the only record of what they replaced: carry over everything in them that still matters.`;

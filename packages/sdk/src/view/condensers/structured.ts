import { text } from '../../event/content.ts';
import type { Message } from '../../event/message.ts';
import { defineCondenser } from './condenser-kind.ts';
import { ROLLING_MEMBERS, type Rolling, rolling } from './rolling.ts';
import { eventBlocks } from './summarizing.ts';

/** The fields of V0's form, with their descriptions. */
const FIELDS: { readonly [name: string]: string } = {
  user_context: 'What the user wants, with every requirement and limit.',
  completed_tasks: 'What is done, with its outcome.',
  pending_tasks: 'What remains to be done, in order.',
  current_state: 'The current state: variables, data, running programs.',
  files_modified: 'Files that were created or changed, with their paths.',
  function_changes: 'Functions that were added or changed.',
  data_structures: 'Important types and data.',
  tests_written: 'Whether tests were written: true, false or unknown.',
  tests_passing: 'Whether all tests pass: true, false or unknown.',
  failing_tests: 'Tests that fail, with their names.',
  error_messages: 'Errors that still matter, verbatim.',
  branch_created: 'Whether a branch was created: true, false or unknown.',
  branch_name: 'The name of the branch.',
  commits_made: 'Whether something was committed: true, false or unknown.',
  pr_created: 'Whether a pull request was opened: true, false or unknown.',
  pr_status: 'The status of the pull request.',
  dependencies: 'What was installed or configured.',
  other_relevant_context: 'Anything else that the work depends on.',
};

const TOOL = {
  name: 'create_state_summary',
  description: 'Records the state of the work.',
  parameters: {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(FIELDS).map(([name, description]) => [name, { type: 'string', description }]),
    ),
    required: ['user_context', 'completed_tasks', 'pending_tasks'],
  },
};

/** Replaces the middle by V0's form, filled in by a model. */
export interface StructuredSpec extends Rolling {
  readonly type: 'structured';
}

export const structured = defineCondenser<StructuredSpec>({
  ...ROLLING_MEMBERS,
  create: (spec) =>
    rolling(spec, async (cut, { llm, signal }) => {
      const words = `The history of an agent's work has become too long. The events below will be removed. Call create_state_summary with everything that the agent needs to continue without them, including whatever still matters in earlier summaries.\n\n${eventBlocks(cut, spec)}`;
      const model = await llm();
      const prompt = {
        messages: [{ role: 'user', content: [text(words)] } satisfies Message],
        tools: [TOOL],
      };
      const { id, message } = await model.complete(prompt, { signal });
      const summary = summaryIn(message);
      return summary === null ? null : { summary, responseId: id };
    }),
});

/** Null if the model did not fill in the form. */
function summaryIn({ tool_calls: calls }: Message): string | null {
  try {
    const form = JSON.parse(calls?.[0]?.arguments ?? 'null') as { readonly [name: string]: unknown };
    const parts = Object.keys(FIELDS).flatMap((name) => {
      const value = form[name];
      return typeof value === 'string' && value.trim() !== '' ? [`## ${headOf(name)}\n${value.trim()}`] : [];
    });
    return parts.length === 0 ? null : `# State summary\n\n${parts.join('\n\n')}`;
  } catch {
    return null;
  }
}

function headOf(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');
}

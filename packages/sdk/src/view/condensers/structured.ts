import { text } from '../../event/content.ts';
import type { Message } from '../../event/message.ts';
import { defineCondenser } from './condenser-kind.ts';
import { ROLLING_MEMBERS, type Rolling, rolling } from './rolling.ts';
import { eventBlocks } from './summarizing.ts';

/** V0's form: its fields, and what each holds. */
const FIELDS: { readonly [name: string]: string } = {
  user_context: 'What the user wants, with every requirement and limit.',
  completed_tasks: 'What is done, and what came of it.',
  pending_tasks: 'What is still to be done, in order.',
  current_state: 'Where things stand now: variables, data, running programs.',
  files_modified: 'Files that were made or changed, with their paths.',
  function_changes: 'Functions that were added or changed.',
  data_structures: 'Types and data that matter.',
  tests_written: 'Whether tests were written for it: true, false or unknown.',
  tests_passing: 'Whether all tests pass: true, false or unknown.',
  failing_tests: 'Tests that fail, with their names.',
  error_messages: 'Errors that matter still, word for word.',
  branch_created: 'Whether a branch was made: true, false or unknown.',
  branch_name: 'Its name.',
  commits_made: 'Whether something was committed: true, false or unknown.',
  pr_created: 'Whether a pull request was opened: true, false or unknown.',
  pr_status: 'How it stands.',
  dependencies: 'What was installed or configured.',
  other_relevant_context: 'Whatever else the work depends on.',
};

const TOOL = {
  name: 'create_state_summary',
  description: 'Writes down where the work stands.',
  parameters: {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(FIELDS).map(([name, description]) => [name, { type: 'string', description }]),
    ),
    required: ['user_context', 'completed_tasks', 'pending_tasks'],
  },
};

/** Puts a form in the place of the middle: V0's, which a model fills in. */
export interface StructuredSpec extends Rolling {
  readonly type: 'structured';
}

export const structured = defineCondenser<StructuredSpec>({
  ...ROLLING_MEMBERS,
  create: (spec) =>
    rolling(spec, async (cut, { llm, signal }) => {
      const words = `An agent's work has grown too long. The events below will be taken out; call create_state_summary so that the agent can go on without them. Carry over what still matters of earlier summaries.\n\n${eventBlocks(cut, spec)}`;
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

/** Null if the form was not filled in. */
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
